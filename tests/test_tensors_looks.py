"""A second look at a file: it says what a first look would, and walks only what depends on the edit."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from random_edits import edits
from test_tensors import shapes
from torch_handbook_worker.protocol import InterpretRequest, InterpretResult

pytestmark = pytest.mark.torch
HERE = Path(__file__).parent
FILES = ["tensors/chosen.py", "tensors/free_sizes.py", "tensors/in_place.py", "tensors/unknowns.py"]

EDITS = 6

PARTS = """
import torch
from torch import nn

WIDTHS = [8]


class First(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 4)

    def forward(self, x):
        return helped(self.fc(x))

    def twice(self, x):
        return self.fc(x) * 2


class Second(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 6, 5)

    def forward(self, x):
        y = self.conv(x)
        return y


def helped(x):
    return x.relu()


def lonely(n):
    rows = torch.zeros(3, 5)
    return rows
"""


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """Nothing is known of any file."""
    pytest.importorskip("torch")
    from torch_handbook_worker.tensors import looks

    looks.KEPT.clear()
    yield
    looks.KEPT.clear()


@pytest.fixture
def walked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the functions that are walked from now on."""
    from torch_handbook_worker.tensors.functions import Function

    names: list[str] = []
    enter = Function.enter

    def entering(function: Any, bound: Any) -> Any:
        names.append(f"{function.owner.__name__}.{function.__name__}" if function.owner else function.__name__)
        return enter(function, bound)

    monkeypatch.setattr(Function, "enter", entering)
    return names


def look(text: str, path: str = "/nowhere/file.py", again: bool = True, steps: int = 200_000) -> InterpretResult:
    from torch_handbook_worker.tensors.program import interpret

    return interpret(InterpretRequest(path, text, seconds=60.0, steps=steps, again=again))


def same(one: InterpretResult, other: InterpretResult) -> bool:
    rows = ("facts", "failures", "gaps", "complete", "problem")
    return all(getattr(one, name) == getattr(other, name) for name in rows)


@pytest.mark.parametrize("name", FILES)
def test_after_any_edit_a_look_says_what_a_first_look_would(name: str, walked: list[str]) -> None:
    text, path = (HERE / name).read_text(encoding="utf-8"), f"/nowhere/{name}"
    look(text, path)
    counts = [0, 0]
    for edit, now in edits(text, random.Random(name), EDITS):
        found: list[InterpretResult] = []
        for place, again in enumerate((True, False)):
            walked.clear()
            found.append(look(now, path, again))
            counts[place] += len(walked)
        assert same(*found), f"{edit}:\n{now}"
    assert 0 < counts[0] < counts[1]


def test_an_edit_in_one_class_walks_nothing_of_another(walked: list[str]) -> None:
    look(PARTS)
    assert {"First.forward", "First.twice", "Second.forward", "lonely"} <= set(walked)
    for before, now, wanted in (
        ("self.conv(x)", "self.conv(x) + 1", {"Second.__init__", "Second.forward"}),
        ("torch.zeros(3, 5)", "torch.zeros(4, 5)", {"lonely"}),
        ("x.relu()", "x.flatten()", {"First.__init__", "First.forward", "First.twice", "helped"}),
    ):
        walked.clear()
        edited = PARTS.replace(before, now)
        found = look(edited)
        assert set(walked) == wanted
        walked.clear()
        assert same(found, look(edited, again=False)) and len(set(walked)) > len(wanted)
        look(PARTS)
    walked.clear()
    assert same(look(PARTS), look(PARTS)) and not walked


SHARED = """
import torch
from torch import nn


class Inner(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.conv = nn.Conv2d(dim, dim, 1)

    def forward(self, x):
        y = self.conv(x)
        return y


class Narrow(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner(8)

    def forward(self, x):
        z = self.inner(x)
        return z


class Wide(nn.Module):
    def __init__(self, layer=Inner):
        super().__init__()
        self.inner = layer(16)

    def forward(self, x):
        return self.inner(x)
"""


def test_two_networks_that_have_a_class_in_common_are_walked_each_for_itself(walked: list[str]) -> None:
    assert shapes(SHARED, look(SHARED))["12:y"] == ["N", "dim", "H", "W"]
    walked.clear()
    edited = SHARED.replace("z = self.inner(x)", "z = self.inner(x) + 1")
    found = look(edited)
    assert set(walked) == {"Narrow.__init__", "Narrow.forward", "Inner.__init__", "Inner.forward"}
    wider = edited.replace("Inner(8)", "Inner(32)")
    for text, other in ((edited, found), (wider, look(wider))):
        assert same(other, look(text, again=False))


def test_facts_move_with_their_lines_and_nothing_is_walked(walked: list[str]) -> None:
    before = shapes(PARTS, look(PARTS))
    walked.clear()
    moved = PARTS.replace("def lonely", "# said of it\n\ndef lonely").replace("class Second", "\nclass Second")
    found = look(moved)
    assert not walked and same(found, look(moved, again=False))
    assert (before["35:rows"], shapes(moved, found)["38:rows"]) == ([3, 5], [3, 5])


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("WIDTHS = [8]", "WIDTHS = [9]"),
        ("def twice(self, x):", "def twice(self, x: int):"),
        ("class Second(nn.Module)", "class Second(First)"),
        ("def lonely(n):", "def lonely(n, m=2):"),
        ("import torch\n", "import torch, math\n"),
    ],
)
def test_what_stands_around_functions_is_no_edit_of_one(before: str, now: str, walked: list[str]) -> None:
    look(PARTS)
    walked.clear()
    edited = PARTS.replace(before, now)
    found = look(edited)
    assert {"First.forward", "Second.forward", "lonely"} <= set(walked)
    assert same(found, look(edited, again=False))


def test_a_function_that_changes_what_others_read_leaves_nothing_to_be_taken_over(walked: list[str]) -> None:
    text = PARTS.replace("rows = torch.zeros(3, 5)", "WIDTHS.append(4)\n    rows = torch.zeros(3, len(WIDTHS))")
    look(text)
    walked.clear()
    edited = text.replace("self.conv(x)", "self.conv(x) + 1")
    assert same(look(edited), look(edited, again=False)) and walked.count("lonely") == 2


def test_a_class_that_a_script_calls_is_walked_with_the_script(walked: list[str]) -> None:
    text = PARTS + "\nout = Second()(torch.zeros(2, 3, 9, 9))\n"
    look(text)
    walked.clear()
    edited = text.replace("self.conv(x)", "self.conv(x).flatten(1)")
    found = look(edited)
    assert shapes(edited, found)["38:out"] == [2, 150] and "lonely" in walked
    assert same(found, look(edited, again=False))


def test_another_file_that_changed_is_read_again(tmp_path: Path) -> None:
    part = tmp_path / "part.py"
    part.write_text("from torch import nn\ndef layer():\n    return nn.Linear(8, 4)\n")
    text = "import torch\nfrom part import layer\n\ndef lonely(n):\n    y = layer()(torch.zeros(2, 8))\n    return y\n"
    path = str(tmp_path / "file.py")
    assert shapes(text, look(text, path))["5:y"] == [2, 4]
    part.write_text("from torch import nn\ndef layer():\n    return nn.Linear(8, 6)\n")
    os.utime(part, ns=(1, 1))
    assert shapes(text, look(text, path))["5:y"] == [2, 6]
    part.unlink()
    assert "5:y" not in shapes(text, look(text, path))
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "__init__.py").write_text("from torch import nn\ndef layer():\n    return nn.Linear(8, 7)\n")
    assert shapes(text, look(text, path))["5:y"] == [2, 7]


def test_a_look_that_was_cut_short_is_taken_up_by_the_next_one() -> None:
    blocks = "\n".join(f"def part{n}(n):\n    y = torch.zeros(3, {n}).relu().exp().log()\n    return y\n" for n in range(1, 30))
    text = "import torch\n\n" + blocks
    counts = [sum(name.endswith(":y") for name in shapes(text, look(text, steps=120)))]
    for _ in range(6):
        counts.append(sum(name.endswith(":y") for name in shapes(text, look(text, steps=120))))
    assert 0 < counts[0] < counts[1] < counts[2] and counts[-1] == 29
    assert same(look(text, steps=120), look(text, steps=120)) and look(text, steps=120).complete


def test_of_many_files_the_last_ones_are_kept() -> None:
    from torch_handbook_worker.tensors import looks

    for number in range(looks.FILES + 3):
        look(PARTS, f"/nowhere/{number}.py")
    assert [*looks.KEPT] == [f"/nowhere/{number}.py" for number in range(3, looks.FILES + 3)]


def test_of_long_files_fewer_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    from torch_handbook_worker.tensors import looks

    look(PARTS, "/nowhere/0.py")
    size = looks.KEPT["/nowhere/0.py"].past.size()
    monkeypatch.setattr(looks, "PLACES", 2 * size)
    for number in (1, 2):
        look(PARTS, f"/nowhere/{number}.py")
    assert [*looks.KEPT] == ["/nowhere/1.py", "/nowhere/2.py"] and size > 200


def test_without_a_next_look_nothing_is_kept() -> None:
    from torch_handbook_worker.tensors import looks

    look(PARTS, again=False)
    assert not looks.KEPT
