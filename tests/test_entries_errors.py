"""The error pages: their patterns take the messages that torch really gives, each page its own and no other's."""

from __future__ import annotations

from pathlib import Path

import pytest
from entry_code import Block, blocks_of, marks_of, run
from torch_handbook.handbook import errors
from torch_handbook.handbook.entry import Entry, Kind
from torch_handbook.handbook.handbook import Handbook

HANDBOOK = Handbook.open(Path(__file__).parents[1] / "entries")
PAGES = [entry for name in HANDBOOK.names() if name.startswith("errors/") and (entry := HANDBOOK.find(name))]
PATTERNS = {page.name: page.patterns for page in PAGES}
BAD = [block for page in PAGES for block in blocks_of(page) if block.kind == "bad" and block.code]

each = pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])


def raising(block: Block) -> bool:
    """Whether a code says that it raises or warns."""
    return any(kind in ("raises", "warns") for marks in marks_of(block.code).values() for kind, _ in marks)


def needs_more(block: Block) -> bool:
    """Whether a code runs on some machines only."""
    return block.code.startswith("# needs")


def test_there_are_error_pages_and_only_they_have_patterns() -> None:
    assert len(PAGES) >= 6
    assert [page.name for page in PAGES if page.kind is not Kind.ERROR] == []
    assert all(line.kind == "error" for line in HANDBOOK.lines.values() if line.patterns)


@each
def test_patterns_begin_with_words_and_find_their_own_page(page: Entry) -> None:
    for pattern in page.patterns:
        assert errors.values_of(pattern, pattern) is not None, f"{pattern} does not take itself"
        assert errors.weight(pattern) >= 8, f"{pattern} has too few words of its own: it would take anything"
        found = errors.recognise(pattern, PATTERNS)
        assert found and found.page == page.name, f"{pattern} is taken by {found and found.page}: {found and found.pattern}"


@each
def test_readings_use_names_that_some_pattern_has(page: Entry) -> None:
    for reading in page.readings:
        wanted = set(errors.names_of(reading))
        assert wanted, f"{reading} says nothing of the message's values"
        assert any(wanted <= set(errors.names_of(pattern)) for pattern in page.patterns), reading


@each
def test_a_cause_shows_the_message(page: Entry) -> None:
    """At least one cause raises it; only what needs a GPU may go without code."""
    shown = [block for block in BAD if block.entry == page.name and raising(block)]
    assert shown or "cuda" in page.tags, "no cause has a `bad` that ends with `# raises …`"


@pytest.mark.torch
@pytest.mark.parametrize("block", [b for b in BAD if raising(b)], ids=lambda block: block.id)
def test_the_message_that_is_raised_leads_to_the_page(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    said = run(block)
    if said or not needs_more(block):
        found = [errors.recognise(message, PATTERNS) for message in said]
        assert block.entry in [match.page for match in found if match], "\n".join(
            f"{match and match.page} has: {message}" for match, message in zip(found, said, strict=True)
        )


MAT = "mat1 and mat2 shapes cannot be multiplied ({rows}x{features} and {takes}x{gives})"


def test_values_are_read_from_a_message() -> None:
    said = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x256 and 400x120)"
    assert errors.values_of(MAT, said) == {"rows": "32", "features": "256", "takes": "400", "gives": "120"}
    assert errors.values_of("Found dtype {a} but expected {b}", "Found dtype Long but expected Float.\nmore") == {
        "a": "Long",
        "b": "Float",
    }
    assert errors.values_of("to be: {a} but got: {b}", "to be: [8, 3]\n but got:  [8, 2].") == {"a": "[8, 3]", "b": "[8, 2]"}
    assert errors.values_of("{name} is not defined", "NameError: name 'x' is not defined") == {"name": "NameError: name 'x'"}


def test_a_name_twice_is_the_same_text() -> None:
    assert errors.values_of("from {a} to {a} again", "from 3 to 3 again") == {"a": "3"}
    assert errors.values_of("from {a} to {a} again", "from 3 to 4 again") is None


def test_a_pattern_does_not_begin_or_end_within_a_word() -> None:
    assert errors.values_of("leaf Variable", "a leaf Variables") is None
    assert errors.values_of("leaf Variable", "an overleaf Variable") is None
    assert errors.values_of("size ({n})", "resize (3)") is None


def test_the_pattern_with_more_words_of_its_own_decides() -> None:
    pages = {
        "general": ["Input type ({a}) and weight type ({b})"],
        "special": ["Input type (torch.cuda.{a}) and weight type ({b})"],
    }
    found = errors.recognise("Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor)", pages)
    assert found and found.page == "special"
    assert errors.recognise("nothing of the kind", pages) is None
