"""Translations: an overlay beside an entry has its texts in another language; what it leaves out stays as it was."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from torch_handbook.handbook.entry import Advice, Entry, Example, Pitfall, Row, Section

Titled = TypeVar("Titled", Example, Pitfall, Advice, Section)
ENGLISH = "en"
LABELS: Mapping[str, Mapping[str, str]] = {
    "zh-CN": {
        "Which one": "选哪一个",
        "The message": "报错信息",
        "Shapes": "形状",
        "Parameters": "参数",
        "Examples": "示例",
        "Pitfalls": "常见错误",
        "Causes, the likeliest first": "原因（最可能的在前）",
        "Performance": "性能",
        "Versions": "版本差异",
        "See also": "另请参阅",
        "Source": "来源",
        "the official page": "官方文档",
        "wrong": "错误",
        "right": "正确",
        "slower": "较慢",
        "faster": "较快",
        "no slower …": "不更慢……",
        "… than this": "……与此相比",
        "raises": "抛出",
        "warns": "给出警告",
        "silent": "不报错",
        "Checked as you type": "编辑时自动检查",
        "From the page of": "摘自页面",
        "Your line": "你的代码行",
        "The handbook has no page on this message": "手册中没有关于这条报错信息的页面",
        "The nearest pages": "最接近的页面",
    }
}


@dataclass(frozen=True)
class Part:
    """The texts of one pitfall, example, section or piece of advice; `of` is its English title."""

    of: str
    title: str = ""
    text: str = ""


@dataclass(frozen=True)
class RowPart:
    """A row of a table; `of` is the English question."""

    of: str
    question: str = ""
    answers: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReadingPart:
    """A reading of an error page; `of` is the English one."""

    of: str
    text: str


@dataclass(frozen=True)
class Overlay:
    """What a translation may hold: texts, and no code."""

    title: str = ""
    summary: str = ""
    search: tuple[str, ...] = ()
    shapes: dict[str, str] = field(default_factory=dict[str, str])
    parameters: dict[str, str] = field(default_factory=dict[str, str])
    examples: tuple[Part, ...] = ()
    pitfalls: tuple[Part, ...] = ()
    performance: tuple[Part, ...] = ()
    sections: tuple[Part, ...] = ()
    rows: tuple[RowPart, ...] = ()
    readings: tuple[ReadingPart, ...] = ()
    changed: dict[str, str] = field(default_factory=dict[str, str])
    deprecated: dict[str, str] = field(default_factory=dict[str, str])
    removed: dict[str, str] = field(default_factory=dict[str, str])


def translated(entry: Entry, overlay: Overlay, locale: str) -> Entry:
    """The entry with the texts of an overlay; English where it has none."""
    rows = {part.of: part for part in overlay.rows}
    readings = {part.of: part.text for part in overlay.readings}
    return replace(
        entry,
        locale=locale,
        title=overlay.title or entry.title,
        summary=overlay.summary or entry.summary,
        search=(*overlay.search, *entry.search),
        shapes=entry.shapes | overlay.shapes,
        parameters=entry.parameters | overlay.parameters,
        examples=_titled(entry.examples, overlay.examples),
        pitfalls=_titled(entry.pitfalls, overlay.pitfalls),
        performance=_titled(entry.performance, overlay.performance),
        sections=_titled(entry.sections, overlay.sections),
        table=entry.table and replace(entry.table, rows=tuple(_row(row, rows.get(row.question)) for row in entry.table.rows)),
        readings=tuple(readings.get(text, text) for text in entry.readings),
        changed=entry.changed | overlay.changed,
        deprecated=entry.deprecated | overlay.deprecated,
        removed=entry.removed | overlay.removed,
    )


def chosen(wanted: str, available: Iterable[str]) -> str:
    """The locale to show for the one that an editor or a system names: "zh_CN.UTF-8" and "zh-cn" are zh-CN; "" is English.

    One of the same language is better than none, so "zh" is zh-CN, too.
    """
    asked = _folded(wanted)
    known = {name.casefold(): name for name in sorted(available)}
    same_language = [name for folded, name in known.items() if folded.partition("-")[0] == asked.partition("-")[0]]
    return known.get(asked) or (same_language[0] if same_language else "")


def is_english(wanted: str) -> bool:
    """Whether a language that was named is the one that entries are written in: so is that of a system that speaks none."""
    return _folded(wanted).partition("-")[0] in ("", "c", "posix", "en")


def _folded(wanted: str) -> str:
    """A language as it is compared: "zh-cn" for "zh_CN.UTF-8"."""
    return re.split(r"[.@]", wanted.replace("_", "-"))[0].casefold()


def of_system(environ: Mapping[str, str]) -> str:
    """The language that a terminal is set to, as its variables name it: "zh_CN.UTF-8"."""
    return next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := environ.get(name))), "")


def said(label: str, locale: str) -> str:
    """A heading or a word of the page in a language; the English one where there is no other."""
    return LABELS.get(locale, {}).get(label, label)


def _titled(parts: Sequence[Titled], texts: Sequence[Part]) -> tuple[Titled, ...]:
    known = {text.of: text for text in texts}
    return tuple(_with(part, known.get(part.title)) for part in parts)


def _with(part: Titled, text: Part | None) -> Titled:
    if text is None:
        return part
    title = text.title or part.title
    return replace(part, title=title) if isinstance(part, Example) else replace(part, title=title, text=text.text or part.text)


def _row(row: Row, part: RowPart | None) -> Row:
    return Row(part.question or row.question, part.answers or row.answers) if part else row
