"""Renders entries as Markdown that reads well in an editor's hover, as a page, and raw in a terminal.

A hover is short first: signature, one sentence, the worst pitfalls by their titles; all the rest stands below a line. It uses no
tables and no headings, as Neovim shows the first raw and VS Code the second too large; a page uses both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from torch_handbook.handbook.entry import Advice, Entry, Example, Kind, Pitfall, Section, Table
from torch_handbook.handbook.locale import said
from torch_handbook.handbook.version import at_least
from torch_handbook.handbook.wrap import WIDTH, wrapped

WORST = 3
NONE: Mapping[str, str] = {}
WARNS = re.compile(r"#\s*warns\s")


def hover(
    entry: Entry, *, name: str = "", signature: str | None = None, version: str | None = None, rules: Mapping[str, str] = NONE
) -> str:
    """All of an entry, the short part first.

    `name` is what the reader wrote, where that is an alias; `signature` is "(input, weight)" of the user's torch; `rules` are the
    ids and kinds that are found, and by which rule each, so that no page promises a check that there is not.
    """
    parts = [f"**{said(title, entry.locale)}**\n\n{body}" for title, body in _parts(entry, version, rules, tables=False)]
    return "\n\n".join([short(entry, name=name, signature=signature, version=version, rules=rules), "---", *parts])


def short(
    entry: Entry, *, name: str = "", signature: str | None = None, version: str | None = None, rules: Mapping[str, str] = NONE
) -> str:
    """The part that decides: signature, one sentence, what is gone or deprecated, the worst pitfalls, what is checked."""
    heading = f"**{entry.title}**" if entry.title else code(declaration(name or entry.name, signature))
    checked = [f"`{rule}`" for rule in dict.fromkeys(rules[kind] for kind in rules_of(entry) if kind in rules)]
    worst = "\n".join(f"- ⚠ {pitfall.title}{effect(pitfall, entry.locale)}" for pitfall in entry.pitfalls[:WORST])
    known = wrapped(f"{said('Checked as you type', entry.locale)}: {', '.join(checked)}.") if checked else ""
    lines = [heading, wrapped(entry.summary), *_gone(entry, version), worst, known]
    return "\n\n".join(line for line in lines if line)


def page(entry: Entry, *, signature: str | None = None, version: str | None = None, rules: Mapping[str, str] = NONE) -> str:
    """All of an entry as a document with headings; comparisons are tables."""
    parts = [f"## {said(title, entry.locale)}\n\n{body}" for title, body in _parts(entry, version, rules, tables=True)]
    heading = f"# {entry.title or entry.name}"
    signed = [code(declaration(entry.name, signature))] if signature and not entry.title else []
    return "\n\n".join([heading, *signed, wrapped(entry.summary), *_gone(entry, version), *parts]) + "\n"


def parameter(entry: Entry, name: str) -> str | None:
    """What an entry says of one parameter; one line of it may speak of several: "weight, bias"."""
    for names, text in entry.parameters.items():
        if name in [part.strip(" *") for part in names.split(",")]:
            return f"**`{name}`** of `{entry.name}`\n\n{wrapped(text)}"
    return None


def pitfall(pitfall: Pitfall, entry: Entry) -> str:
    """One pitfall alone, as the explanation of a finding, with the page that it comes from."""
    return f"{_pitfall(pitfall, NONE, entry.locale)}\n\n{_from(entry)}"


def _from(entry: Entry) -> str:
    return f"{said('From the page of', entry.locale)} `{entry.name}`."


def rules_of(entry: Entry) -> tuple[str, ...]:
    """The rules that see pitfalls of this entry or what its advice is about, each once, worst first."""
    return tuple(dict.fromkeys(part.rule for part in (*entry.pitfalls, *entry.performance) if part.rule))


def advice(advice: Advice, entry: Entry) -> str:
    """One piece of advice alone, as the explanation of a finding, with the page that it comes from."""
    return f"{_advice(advice, NONE, entry.locale)}\n\n{_from(entry)}"


def effect(pitfall: Pitfall, locale: str = "") -> str:
    """How one gets to know of a pitfall: " (raises RuntimeError)", " (warns)", " (silent)"; "" where no code shows it."""
    if not pitfall.bad:
        return ""
    raised = re.search(r"#\s*raises\s+(\w+)", pitfall.bad)
    if raised:
        return f" ({said('raises', locale)} {raised[1]})"
    return f" ({said('warns' if re.search(WARNS, pitfall.bad) else 'silent', locale)})"


def code(text: str) -> str:
    """A fenced block of Python."""
    return f"```python\n{text.rstrip()}\n```"


def declaration(name: str, signature: str | None) -> str:
    """A name with its signature, filled to a hover's width: one parameter a line would push all else out of sight."""
    line = f"{name}{signature or ''}"
    if len(line) <= WIDTH or not signature or not signature.startswith("("):
        return line
    rows = [f"{name}("]
    for item in _arguments(signature):
        if len(rows) > 1 and len(rows[-1]) + len(item) + 1 <= WIDTH:
            rows[-1] += f" {item}"
        else:
            rows.append(f"    {item}")
    return "\n".join([*rows, signature[signature.rindex(")") :]])


def _arguments(signature: str) -> list[str]:
    """The arguments of a signature, each with its comma: "(a, b=(1, 2))" gives "a,", "b=(1, 2)"."""
    items, depth = [""], 0
    for letter in signature[1 : signature.rindex(")")]:
        depth += (letter in "([{") - (letter in ")]}")
        items[-1] += letter
        if letter == "," and depth == 0:
            items.append("")
    return [item.strip() for item in items if item.strip()]


def _parts(entry: Entry, version: str | None, rules: Mapping[str, str], *, tables: bool) -> Iterator[tuple[str, str]]:
    """The titled parts of an entry that it has, in reading order."""
    if entry.table:
        yield "Which one", _table(entry.table) if tables else _table_as_lists(entry.table)
    if entry.patterns:
        yield "The message", f"```text\n{chr(10).join(entry.patterns)}\n```"
    yield from ((section.title, _section(section)) for section in entry.sections)
    for title, items in (
        ("Shapes", [f"- **{name}**: {text}" for name, text in entry.shapes.items()]),
        ("Parameters", [f"- **`{name}`**: {text}" for name, text in entry.parameters.items()]),
    ):
        if items:
            yield title, "\n".join(map(wrapped, items))
    for title, blocks in (
        ("Examples", [_example(example) for example in entry.examples]),
        (_pitfalls_title(entry), [_pitfall(pitfall, rules, entry.locale) for pitfall in entry.pitfalls]),
        ("Performance", [_advice(advice, rules, entry.locale) for advice in entry.performance]),
    ):
        if blocks:
            yield title, "\n\n".join(blocks)
    yield from _rest(entry, version)


def _rest(entry: Entry, version: str | None) -> Iterator[tuple[str, str]]:
    """Versions and the ways onward."""
    if entry.changed:
        yield "Versions", "\n".join(wrapped(f"- {_since(number, version)}: {text}") for number, text in entry.changed.items())
    links = [*(f"compare/{name}" for name in entry.compare), *entry.see_also]
    if links:
        yield "See also", wrapped(", ".join(f"`{link}`" for link in links))
    if entry.source:
        yield "Source", f"[{said('the official page', entry.locale)}]({entry.source})"


def _since(number: str, version: str | None) -> str:
    return f"since {number}" if version is None or at_least(version, number) else f"from {number} on (yours is {version})"


def _gone(entry: Entry, version: str | None) -> list[str]:
    """What is removed or deprecated in the user's torch; with no torch, in the newest."""
    removed = [f"⚠ **Removed in {number}.** {text}" for number, text in entry.removed.items() if _holds(version, number)]
    deprecated = [
        f"⚠ **Deprecated since {number}.** {text}" for number, text in entry.deprecated.items() if _holds(version, number)
    ]
    return [wrapped(line) for line in removed or deprecated]


def _pitfalls_title(entry: Entry) -> str:
    return "Causes, the likeliest first" if entry.kind is Kind.ERROR else "Pitfalls"


def _holds(version: str | None, number: str) -> bool:
    return version is None or at_least(version, number)


def _example(example: Example) -> str:
    return f"{wrapped(example.title)}\n\n{code(example.code)}"


def _section(section: Section) -> str:
    return f"{wrapped(section.text)}\n\n{code(section.code)}" if section.code else wrapped(section.text)


def _seen(kind: str | None, rules: Mapping[str, str]) -> str:
    """The name under which a mistake is found, where a rule finds it."""
    return f" (`{kind}`)" if kind and kind in rules else ""


def _pitfall(pitfall: Pitfall, rules: Mapping[str, str], locale: str) -> str:
    """Title, what happens, and wrong beside right in one block."""
    rule = _seen(pitfall.rule, rules)
    shown = [_two("wrong", pitfall.bad, "right", pitfall.good, locale)] if pitfall.bad else []
    return "\n\n".join([f"⚠ **{pitfall.title}**{rule}", wrapped(pitfall.text), *shown])


def _two(title: str, one: str, other_title: str, other: str, locale: str) -> str:
    """Two ways to write something, in one block."""
    return code(f"# {said(title, locale)}\n{one.rstrip()}\n\n# {said(other_title, locale)}\n{other}")


def _advice(advice: Advice, rules: Mapping[str, str], locale: str) -> str:
    """Title, the measured text, and the two ways side by side."""
    rule = _seen(advice.rule, rules)
    blocks = [f"**{advice.title}**{rule}", wrapped(advice.text)]
    if advice.slow:
        blocks.append(_two("slower", advice.slow, "faster", advice.fast, locale))
    if advice.same:
        blocks.append(_two("no slower …", advice.same, "… than this", advice.as_, locale))
    return "\n\n".join(blocks)


def _table(table: Table) -> str:
    rows = [["", *map(_column, table.columns)], ["---"] * (len(table.columns) + 1)]
    rows += [[f"**{row.question}**", *row.answers] for row in table.rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows)


def _column(name: str) -> str:
    """A name as code; what has no name of its own is said in words: "a Python list"."""
    return name if " " in name else f"`{name}`"


def _table_as_lists(table: Table) -> str:
    """The same as lists, a question at a time, with the short names."""
    names = [_column(name.removeprefix("torch.")) for name in table.columns]
    return "\n\n".join(
        f"*{row.question}*\n\n"
        + "\n".join(wrapped(f"- {name}: {answer}") for name, answer in zip(names, row.answers, strict=True))
        for row in table.rows
    )
