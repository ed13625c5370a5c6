"""Our Markdown as text without marks, for an editor that shows nothing else: Emacs without markdown-mode, say.

It reads the Markdown that this project writes, not all that there is: headings, rules, fenced code, tables, bold, code, links.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from torch_handbook.handbook.wrap import width

FENCE, RULE = re.compile(r"\s*```"), re.compile(r"-{3,}$")
HEADING, ROW = re.compile(r"(#+) (.*)$"), re.compile(r"\s*\|(.*)\|\s*$")
BAR, BELOW_HEAD = re.compile(r"(?<!\\)\|"), re.compile(r":?-+(:?)$")
# Code comes first: what stands in ticks is no mark. Stars are bold where a word begins or ends, which those of 2**n do not.
MARK = re.compile(
    r"(?P<ticks>`+)(?P<code>(?:.|\n(?!\n))+?)(?P=ticks)|(?P<star>(?<![\w*])\*\*(?=[^\s*])|(?<=[^\s*])\*\*(?![\w*]))"
    r"|\[(?P<text>[^\]]+)\]\((?P<url>[^)\s]+)\)|<(?P<address>https?://[^>]+)>|\\(?P<letter>[!-/:-@\[-`{-~])"
)
INDENT, GAP = "    ", "   "


def plain(markdown: str) -> str:
    """The same words. Code is indented, but for a signature at the top; the columns of a table stand below each other."""
    lines: list[str] = []
    for kind, rows in groupby(_kinds(markdown.split("\n")), key=lambda pair: pair[0]):
        lines += BLOCKS[kind]([row for _, row in rows])
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


def _kinds(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each line with what it is. The fences themselves say nothing; code before any words is a signature."""
    fenced = begun = False
    for line in lines:
        if FENCE.match(line):
            fenced = not fenced
        elif fenced:
            yield ("code" if begun else "signature"), line
        else:
            begun = begun or bool(line.strip())
            yield ("table" if ROW.match(line) else "text"), line


def _code(lines: Sequence[str]) -> Iterable[str]:
    return [line and INDENT + line for line in lines]


def _text(lines: Sequence[str]) -> Iterable[str]:
    """The lines together, as bold and code go on from one to the next."""
    return _words("\n".join(part for line in lines for part in _underlined(line))).split("\n")


def _underlined(line: str) -> Sequence[str]:
    heading = HEADING.match(line)
    if heading is None:
        return ["" if RULE.match(line) else line]
    return [heading[2], ("=" if len(heading[1]) == 1 else "-") * width(_words(heading[2]))]


def _table(lines: Sequence[str]) -> Iterator[str]:
    """The cells below each other, on the side that the line below the head says."""
    cells = [[cell.strip().replace("\\|", "|") for cell in BAR.split(ROW.sub(r"\1", line))] for line in lines]
    rules = [BELOW_HEAD.match(cell) for cell in cells[1]] if len(cells) > 1 else []
    right = [bool(rule and rule[1]) for rule in rules]
    rows = [[_words(cell) for cell in row] for row in (cells[:1] + cells[2:] if all(rules) else cells)]
    widths = [max(width(row[at]) if at < len(row) else 0 for row in rows) for at in range(max(map(len, rows)))]
    for row in rows:
        yield GAP.join(_padded(cell, widths[at], at < len(right) and right[at]) for at, cell in enumerate(row)).rstrip()


def _padded(cell: str, wide: int, right: bool) -> str:
    space = " " * (wide - width(cell))
    return space + cell if right else cell + space


def _words(text: str) -> str:
    return MARK.sub(_bare, text)


def _bare(mark: re.Match[str]) -> str:
    if text := mark["text"]:
        words = _words(text)
        return words if words == mark["url"] else f"{words} ({mark['url']})"
    return mark["code"] or mark["address"] or mark["letter"] or ""


BLOCKS = {"code": _code, "signature": list[str], "text": _text, "table": _table}
