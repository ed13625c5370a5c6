"""What a reader of the handbook sees: the short part first, plain Markdown in hovers, what holds for the torch in use."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from torch_handbook.handbook import markdown
from torch_handbook.handbook.entry import Advice, Entry, Example, Kind, Pitfall, Row, Table
from torch_handbook.handbook.handbook import Handbook
from torch_handbook.handbook.version import at_least
from torch_handbook.handbook.wrap import wrapped

HANDBOOK = Handbook.open(Path(__file__).parents[1] / "entries")
MARKS = ("  # raises TypeError: no", "  # warns UserWarning", "  # prints 3", "")
ENTRY = Entry(
    name="torch.nn.functional.conv2d",
    kind=Kind.FUNCTION,
    summary="Slides filters over images.",
    shapes={"input": "(N, C, H, W)"},
    parameters={"padding": "Zeros around.", "weight, bias": "Learned."},
    examples=(Example("plain", "F.conv2d(x, w)\n"),),
    pitfalls=tuple(Pitfall(f"Mistake {n}", "It is bad.", f"bad(){MARKS[n]}", "good()", rule=f"rule-{n}") for n in range(4)),
    performance=(Advice("Wide", "Ten times.", slow="a", fast="b"), Advice("Even", "No.", same="c", as_="d")),
    compare=("module-or-functional",),
    see_also=("torch.nn.Conv2d",),
    changed={"1.9": "'same'"},
    source="https://docs.pytorch.org/x",
)
SIGNATURE = "(input, weight, bias=None, stride=(1, 1), padding=0, dilation=1, groups=1) -> Tensor"
TABLE = Table(("torch.cat", "torch.stack"), (Row("Axis", ("grows", "new | fresh")),))


def test_the_short_part_comes_first() -> None:
    lines = markdown.hover(ENTRY, signature=SIGNATURE, rules={"rule-0": "rule-0"}).split("\n---\n")[0].splitlines()
    assert lines == [
        "```python",
        "torch.nn.functional.conv2d(",
        "    input, weight, bias=None, stride=(1, 1), padding=0, dilation=1, groups=1",
        ") -> Tensor",
        "```",
        "",
        "Slides filters over images.",
        "",
        "- ⚠ Mistake 0 (raises TypeError)",
        "- ⚠ Mistake 1 (warns)",
        "- ⚠ Mistake 2 (silent)",
        "",
        "Checked as you type: `rule-0`.",
    ]


def test_an_alias_is_shown_as_it_was_written() -> None:
    assert markdown.hover(ENTRY, name="torch.conv2d", signature="(x)").startswith("```python\ntorch.conv2d(x)\n```")


def test_only_rules_that_exist_are_named() -> None:
    text = markdown.hover(ENTRY, rules={"rule-1": "rule-1"})
    assert "`rule-1`" in text
    assert "rule-0" not in text


def test_the_rest_has_all_parts_in_order() -> None:
    text = markdown.hover(ENTRY)
    titles = ["Shapes", "Parameters", "Examples", "Pitfalls", "Performance", "Versions", "See also", "Source"]
    places = [text.index(f"**{title}**\n") for title in titles]
    assert places == sorted(places)
    assert "# wrong\nbad()  # prints 3\n\n# right\ngood()\n```" in text
    assert "compare/module-or-functional`, `torch.nn.Conv2d`" in text


def test_parameters_by_name() -> None:
    assert markdown.parameter(ENTRY, "padding") == "**`padding`** of `torch.nn.functional.conv2d`\n\nZeros around."
    assert "Learned." in (markdown.parameter(ENTRY, "bias") or "")
    assert markdown.parameter(ENTRY, "stride") is None


def test_what_holds_for_the_version_in_use() -> None:
    entry = replace(ENTRY, deprecated={"2.0": "Use x."}, removed={"2.9": "Use y."})
    assert "Removed" not in markdown.short(entry, version="2.8.1")
    assert "⚠ **Deprecated since 2.0.** Use x." in markdown.short(entry, version="2.8.1")
    assert "⚠ **Removed in 2.9.** Use y." in markdown.short(entry, version="2.13.0+cpu")
    assert "Deprecated" not in markdown.short(entry, version="2.13.0+cpu")
    assert "from 1.9 on (yours is 1.8.1): 'same'" in markdown.hover(entry, version="1.8.1")


def test_versions_are_numbers_not_text() -> None:
    assert at_least("2.13.0+cpu", "2.6")
    assert at_least("2.6.0a0+git1234", "2.6")
    assert not at_least("1.13", "2.0")


def test_a_table_is_lists_in_a_hover() -> None:
    entry = Entry("compare/cat-or-stack", Kind.COMPARISON, "Join or pile.", title="cat or stack", table=TABLE)
    assert "- `cat`: grows\n- `stack`: new | fresh" in markdown.hover(entry)
    assert "| **Axis** | grows | new \\| fresh |" in markdown.page(entry)


def test_a_pitfall_alone_says_where_it_comes_from() -> None:
    text = markdown.pitfall(ENTRY.pitfalls[0], ENTRY)
    assert text.startswith("⚠ **Mistake 0**\n\nIt is bad.")
    assert text.endswith("`torch.nn.functional.conv2d`.")
    assert "# slower\na\n\n# faster\nb" in markdown.advice(ENTRY.performance[0], ENTRY)


def test_long_defaults_are_not_cut() -> None:
    signature = "(" + ", ".join(f"argument_{n}=(1, [2, 3])" for n in range(9)) + ")"
    lines = markdown.declaration("torch.f", signature).splitlines()
    assert max(map(len, lines)) <= 80
    assert "".join(line.strip() + " " for line in lines[1:-1]).strip() == signature[1:-1]


def test_prose_is_broken_between_words() -> None:
    text = "- **stride**: " + "word " * 40
    lines = wrapped(text).splitlines()
    assert max(map(len, lines)) <= 80
    assert all(line.startswith("  word") for line in lines[1:])
    assert " ".join(line.strip() for line in lines) == text.strip()


@pytest.mark.parametrize("start", ["1. mixes", "- less", "# first", "> than", "* b", "+ c", "| d"])
def test_no_line_begins_with_what_markdown_would_read(start: str) -> None:
    text = f"{'x' * 79} {start} {'y' * 70} z"
    assert not any(line.startswith(start.split()[0]) for line in wrapped(text).splitlines())
    assert wrapped(text).replace("\n", " ") == text


def test_paragraphs_and_lists_of_a_text_stay() -> None:
    assert wrapped("one\n\n- two\n- three\n") == "one\n\n- two\n- three"


@pytest.mark.parametrize("name", HANDBOOK.names())
def test_hovers_are_plain(name: str) -> None:
    entry = HANDBOOK.find(name)
    assert entry is not None
    text = markdown.hover(entry, signature="(a, b)")
    prose = "".join(text.split("```")[::2])
    assert text.count("```") % 2 == 0
    assert not any(line.startswith(("#", "|", "<")) for line in prose.splitlines())
    assert len(text.split("\n---\n")[0].splitlines()) <= 16
    assert [line for line in prose.splitlines() if len(line) > 88 and "](https://" not in line] == []
    assert markdown.page(entry).startswith("# ")
