"""Broken text made parseable: the smallest pieces that do not parse are completed or blanked, and nothing else moves."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from torch_handbook.source.layout import BLOCK, CLOSERS, INDENT, Logical, logical_lines, scan

EDIT_LIMIT = 40  # changed lines that still count as one edit
REPAIR_LIMIT = 200  # broken statements that are worth completing rather than blanking
GIVE_UP = 1500  # broken statements that say: this is not Python
DEPTH = 90  # nested blocks; the parser itself takes 100


def mend(lines: list[str], before: list[str] | None) -> Iterator[list[str]]:
    """The lines with their broken pieces mended, in several ways, the nearest first: the parser tells which of them is enough.

    `before` are the lines of the last text that parsed.
    """
    if before:
        yield from mend_edit(lines, before)
    yield Mending(list(lines)).done()


def parses(source: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def mend_edit(lines: list[str], before: list[str]) -> Iterator[list[str]]:
    """Mend only the lines that differ from the last good text, if they are few."""
    start = next(
        (row for row, pair in enumerate(zip(lines, before, strict=False)) if pair[0] != pair[1]), min(len(lines), len(before))
    )
    most = min(len(lines), len(before)) - start
    end = next((row for row in range(most) if lines[-1 - row] != before[-1 - row]), most)
    changed = range(start, len(lines) - end)
    for mender in (complete, quiet, empty) if 0 < len(changed) <= EDIT_LIMIT else ():
        tried = list(lines)
        for row in changed:
            tried[row] = mender(lines[row])
        yield tried


def complete(statement: str) -> str:
    """A statement brought to an end: a name behind the last dot or operator, the missing brackets, a colon. Else a quiet one."""
    if not statement.strip() or parses_alone(statement):
        return statement
    brackets, quote = "", ""
    for line in statement.split("\n"):
        brackets, quote, _ = scan(line, brackets, quote)
    closers = "".join(CLOSERS[bracket] for bracket in reversed(brackets))
    bare = statement.rsplit("#", 1)[0] if "#" in statement.rsplit("\n", 1)[-1] else statement
    for tail in (closers, closers + ":", "_" + closers, "_" + closers + ":"):
        if not quote and parses_alone(bare + tail):
            return bare + tail
    return quiet(statement)


def quiet(statement: str) -> str:
    """A statement that does nothing in the place of this one, as deep as it is; what opened a block still does."""
    return hollow(statement) if BLOCK.match(statement) else idle(statement)


def hollow(statement: str) -> str:
    return indent_of(statement) + "if 1:" if statement.strip() else ""


def idle(statement: str) -> str:
    return indent_of(statement) + "pass" if statement.strip() else ""


def empty(_: str) -> str:
    return ""


def indent_of(statement: str) -> str:
    found = INDENT.match(statement)
    return found[0] if found else ""


def parses_alone(line: str) -> bool:
    """Whether a statement, or the head of a compound one, is right by itself."""
    text = line.strip()
    if not BLOCK.match(text):
        return parses(text)
    if text.startswith(("elif", "else")):
        return parses(f"if 1:\n pass\n{text} pass")
    if text.startswith(("except", "finally")):
        return parses(f"try:\n pass\n{text} pass")
    if text.startswith("match"):
        return parses(f"{text}\n case _: pass") or parses(text)
    if text.startswith("case"):
        return parses(f"match 1:\n {text} pass")
    return parses(f"{text} pass" if not text.startswith("try") else f"{text} pass\nfinally: pass") or parses(text)


def pieces(block: list[Logical]) -> Iterator[list[Logical]]:
    """The statements of a block, each with what is nested in it and with the `else` and the like that go on with it."""
    base = min(line.indent for line in block)
    piece: list[Logical] = []
    for line in block:
        goes_on = line.follows and bool(piece) and piece[0].opens and piece[0].indent == line.indent
        if piece and line.indent <= base and not goes_on:
            yield piece
            piece = []
        piece.append(line)
    if piece:
        yield piece


def split(piece: list[Logical]) -> list[tuple[Logical, list[Logical]]]:
    """The heads of a compound statement, each with the lines that are nested in it."""
    found: list[tuple[Logical, list[Logical]]] = []
    for line in piece:
        if line.indent <= piece[0].indent:
            found.append((line, []))
        else:
            found[-1][1].append(line)
    return found


@dataclass
class Mending:
    """A text on its way to one that parses, piece by piece."""

    lines: list[str]
    broken: int = 0

    def done(self) -> list[str]:
        block = logical_lines(self.lines)
        if block:
            self.mend_block(block, 0, 0)
        return [""] * len(self.lines) if self.broken > GIVE_UP else self.lines

    def mend_block(self, block: list[Logical], indent: int, depth: int) -> None:
        """Mend each statement of a block that should be indented this much."""
        for piece in pieces(block):
            if self.broken > GIVE_UP:
                return
            if piece[0].indent != indent or depth > DEPTH:
                self.drop(piece)
            elif not self.holds(piece):
                self.mend_piece(piece, depth)

    def holds(self, piece: list[Logical]) -> bool:
        text = "\n".join(self.lines[piece[0].first : piece[-1].last + 1])
        return parses("if 1:\n" + text if piece[0].indent else text)

    def mend_piece(self, piece: list[Logical], depth: int) -> None:
        """Mend what is nested first, then the heads; where that is not enough, heads become `if 1:`, or nothing is left."""
        self.broken += 1
        parts = split(piece)
        for head, body in parts:
            if body:
                self.mend_block(body, body[0].indent, depth + 1)
            self.replace(head, complete if self.broken < REPAIR_LIMIT else quiet)
        for head, body in parts:
            if not body and not self.holds(piece):
                self.replace(head, idle)
        if self.holds(piece):
            return
        for head, body in parts:
            self.replace(head, hollow if body else idle)
        if not self.holds(piece):
            self.drop(piece)

    def replace(self, line: Logical, mender: Callable[[str], str]) -> None:
        """Put what a mender makes of a statement where it stood; the number of lines stays."""
        made = mender("\n".join(self.lines[line.first : line.last + 1])).split("\n")
        count = line.last + 1 - line.first
        self.lines[line.first : line.last + 1] = [*made, *[""] * (count - len(made))]

    def drop(self, piece: list[Logical]) -> None:
        """Lines that are indented like nothing around them mean nothing."""
        self.broken += 1
        for line in piece:
            self.replace(line, empty)
