"""Text to syntax tree, always: what cannot be parsed is blanked, and all else keeps its line and column."""

from __future__ import annotations

import ast
import re
import warnings
from contextlib import suppress
from dataclasses import dataclass

from torch_handbook.source.mend import mend
from torch_handbook.source.text import LINE_END, Position, Text

UNREADABLE = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True)
class Problem:
    """A syntax error that was worked around, in the parser's own words."""

    message: str
    position: Position


@dataclass(frozen=True)
class Parsed:
    """A tree, the problem that stood in its way, and the text that the tree was really made of.

    `mended` are the lines that had to be completed or blanked: what the tree says of them is a guess.
    """

    tree: ast.Module
    problem: Problem | None
    source: str
    mended: frozenset[int] = frozenset()


def parse(text: Text, previous: Parsed | None = None) -> Parsed:
    """The tree of any text. `previous` is what the text was parsed to before the last edits: it tells which lines are new."""
    source = readable(text.content)
    try:
        return Parsed(read_tree(source), None, source)
    except SyntaxError as error:
        problem = Problem(error.msg, place_of(error, source))
    except (RecursionError, MemoryError):
        problem = Problem("the code is nested too deeply", Position(1, 0))
    except ValueError as error:
        problem = Problem(str(error), Position(1, 0))
    lines = LINE_END.split(source)
    for mended in mend(lines, LINE_END.split(previous.source) if previous else None):
        changed = frozenset(row for row, (old, new) in enumerate(zip(lines, mended, strict=False), 1) if old != new)
        with suppress(SyntaxError, RecursionError, MemoryError, ValueError):
            return Parsed(read_tree("\n".join(mended)), problem, "\n".join(mended), changed)
    return Parsed(ast.Module(body=[], type_ignores=[]), problem, "", frozenset(range(1, len(lines) + 1)))


def read_tree(source: str) -> ast.Module:
    """The parser itself, without its warnings about the user's escapes and comparisons."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source)


def readable(content: str) -> str:
    """The text with what the parser refuses replaced by as many bytes of what it takes, so that no column moves.

    A form feed is white space that does not indent; half of a surrogate pair takes three bytes of UTF-8, as a BOM does.
    """
    if content.startswith("\ufeff"):
        content = "\f\f\f" + content[1:]
    return UNREADABLE.sub(lambda found: " " if found[0] == "\0" else "???", content)


def place_of(error: SyntaxError, source: str) -> Position:
    """Where the parser stopped, as a position inside the text."""
    lines = LINE_END.split(source)
    row = min(max(error.lineno or 1, 1), len(lines))
    head = lines[row - 1][: max((error.offset or 1) - 1, 0)]
    return Position(row, len(head.encode("utf-8", "surrogatepass")))
