"""Hovers over the fixtures in tests/hover: a comment with a caret says what must stand in the hover of the line above."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet
from feature_snapshots import at, snapshot
from torch_handbook.features.hover import hover, of_name, worth_asking
from torch_handbook.source.text import Position

FIXTURES = sorted((Path(__file__).parent / "hover").glob("*.py"))
CARET = re.compile(r"^(?P<place>\s*#\s*)\^ (?P<wanted>.*)$")


def carets() -> Iterator[ParameterSet]:
    for path in FIXTURES:
        lines = path.read_text("utf-8").split("\n")
        code = 0
        for number, line in enumerate(lines, 1):
            found = CARET.match(line)
            if found is None:
                code = number
                continue
            words = re.findall(r'"([^"]*)"', found["wanted"])
            assert words or found["wanted"] == "nothing", f"{path.name}:{number}: say what is wanted"
            yield pytest.param(path, Position(code, len(found["place"])), words, id=f"{path.stem}:{number}")


@pytest.mark.torch
@pytest.mark.parametrize(("path", "position", "words"), list(carets()))
def test_fixture(path: Path, position: Position, words: list[str]) -> None:
    pytest.importorskip("torch")
    text = path.read_text("utf-8")
    found = hover(snapshot(text, facts=text.startswith("# facts")), position)
    if not words:
        assert found is None
        return
    assert found is not None
    assert [word for word in words if word not in found.markdown] == [], found.markdown
    assert found.span.contains(position)


def test_without_torch_the_pages_are_there_and_nothing_else() -> None:
    text, place = at("import torch\nx = torch.nn.Conv|2d(1, 1, 1)\n")
    page = hover(snapshot(text, torch=False), place)
    assert page and "torch.nn.Conv2d" in page.markdown and "⚠" in page.markdown
    text, place = at("import torch\nx = torch.nn.FractionalMaxPool3|d(1, 1, 1)\n")
    assert hover(snapshot(text, torch=False), place) is None


def test_jedi_is_only_asked_about_members_of_unknown_things() -> None:
    for code, asked in {"thing.att|r(1)": True, "th|ing": False, "torch.re|lu(x)": False, "'te|xt'": False}.items():
        text, place = at(f"import torch\ndef f(thing):\n    {code}\n")
        assert worth_asking(snapshot(text), place) is asked, code


def test_what_jedi_said_is_shown_where_the_cursor_is() -> None:
    text, place = at("from somewhere import thing\nthing.vi|ew(1)\n")
    found = of_name(snapshot(text), place, "torch.Tensor.view")
    assert found and "torch.Tensor.view" in found.markdown and (found.span.line, found.span.column) == (2, 6)
    assert of_name(snapshot(text), place, "torch.Tensor.nonsense") is None


@pytest.mark.torch
def test_torchs_own_docs_are_broken_between_words() -> None:
    pytest.importorskip("torch")
    for name in ("torch.flatten(x)", "nn.functional.nll_loss(x)", "optim.Optimizer.zero_grad(x)"):
        text, place = at(f"import torch\nfrom torch import nn, optim\n{name.replace('(', '|(')}\n")
        page = hover(snapshot(text), place)
        assert page is not None
        prose = "".join(part for row, part in enumerate(page.markdown.split("```")) if row % 2 == 0)
        assert max(map(len, prose.split("\n"))) <= 110 and len(prose) > 300, page.markdown
        assert "\\ " not in prose


@pytest.mark.torch
def test_another_spelling_of_an_entry_is_shown_as_it_was_written() -> None:
    pytest.importorskip("torch")
    text, place = at("import torch.nn.functional as F\nx = F.max_pool|2d(x, 2)\n")
    page = hover(snapshot(text), place)
    assert page is not None and "torch.nn.functional.max_pool2d(" in page.markdown.partition("---")[0]


@pytest.mark.torch
def test_a_method_whose_docs_stand_elsewhere_shows_those_and_does_not_point_there() -> None:
    pytest.importorskip("torch")
    text, place = at("import torch\nx = torch.zeros(3).hypo|t()\n")
    page = hover(snapshot(text), place)
    assert page is not None and "legs of a right triangle" in page.markdown and "See `torch.hypot`" not in page.markdown
