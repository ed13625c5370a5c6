"""The text before a cursor, read as far as it goes: open brackets, an open string, and the expression that ends there."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise

LEXEME = re.compile(
    r"""(?P<comment>\#[^\n]*)|(?P<triple>\"{3}|'{3})|(?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(?P<cut>["'])"""
    r"""|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<comma>,)"""
)
KEYWORD = re.compile(r"\s*([^\W\d]\w*)\s*=(?!=)\s*")
WORD_BEFORE = re.compile(r"[^\W\d]\w*$")
FORMATTED = re.compile(r"(?<!\w)(?:[fF][rR]?|[rR][fF])(?:\"{3}|'{3}|[\"'])$")
BRACE = re.compile(r"\{\{|\}\}|[{}]")
NO_SPACE = re.compile(r"\S")
CLOSED = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|[!=<>]=|lambda[^:]*:")
FORMAT = re.compile(r"[:!]")  # what follows says how the value is written
REACH = 2000  # characters behind the cursor that are looked at for more keywords


@dataclass
class Bracket:
    """An open bracket, and where each of its arguments begins."""

    offset: int
    arguments: list[int]


@dataclass
class Before:
    """A statement up to the cursor. Offsets count from its beginning."""

    statement: str
    brackets: list[Bracket] = field(default_factory=list[Bracket])
    closed: dict[int, int] = field(default_factory=dict[int, int])  # from behind a closed bracket or string to its beginning
    string: int | None = None  # where the open string's own text begins
    comment: bool = False

    def given(self, after: str) -> frozenset[str]:
        """The keywords that the innermost call has already, on both sides of the cursor."""
        if not self.brackets:
            return frozenset()
        starts = self.brackets[-1].arguments
        heads = [self.statement[start:end] for start, end in pairwise(starts)]
        rest = read(after, stop=True)
        heads += [after[start : start + 80] for start in rest.brackets[0].arguments] if rest.brackets else []
        return frozenset(found[1] for head in heads if (found := KEYWORD.match(head)))

    def keyword(self) -> str | None:
        """The keyword of the argument that the cursor is in."""
        found = KEYWORD.match(self.statement, self.brackets[-1].arguments[-1]) if self.brackets else None
        return found[1] if found else None

    def expression(self, end: int) -> str:
        """The name, call or attribute that ends at an offset: `self.conv(x)` in `y = self.conv(x)`."""
        place = len(self.statement[:end].rstrip())
        start = place
        while place > 0:
            if place in self.closed:
                start = place = self.closed[place]
                if place == 0 or not (self.statement[place - 1].isidentifier() or self.statement[place - 1] in ")]\"'0123456789"):
                    break
                continue
            word = WORD_BEFORE.search(self.statement[:place])
            if word is None:
                break
            start = word.start()
            dotted = self.statement[:start].rstrip()
            if not dotted.endswith("."):
                break
            place = len(dotted[:-1].rstrip())
        return self.statement[start:end]


def field_of(before: Before) -> Before | None:
    """The expression in an f-string that the text ends in, read as if it stood alone at its place; None elsewhere."""
    start = before.string or 0
    if not FORMATTED.search(before.statement[:start]):
        return None
    fields: list[int] = []
    for found in BRACE.finditer(before.statement, start):
        if found[0] in ("{{", "}}") and not fields:
            continue
        for offset, brace in enumerate(found[0]):
            fields = [*fields, found.start() + offset] if brace == "{" else fields[:-1]
    if not fields:
        return None
    begin = fields[0] + 1
    inner = read(NO_SPACE.sub(" ", before.statement[:begin]) + before.statement[begin:])
    end = inner.brackets[0].offset if inner.brackets else len(before.statement)
    return None if FORMAT.search(CLOSED.sub("", before.statement[begin:end])) else inner


def read(statement: str, stop: bool = False) -> Before:
    """Read a text to its end; with `stop`, as what follows an open bracket, to where that closes."""
    before, place = Before(statement), 0
    if stop:
        before.brackets.append(Bracket(-1, [0]))
    while (token := LEXEME.search(statement, place)) is not None:
        start, place = token.start(), token.end()
        if token["triple"] or token["cut"]:
            end = statement.find(token[0], place) if token["triple"] else statement.find("\n", place)
            if end < 0:
                before.string = place
                break
            place = end + len(token[0])
            before.closed[place] = start
        elif token["string"]:
            before.closed[place] = start
        elif token["comment"]:
            before.comment = place == len(statement)
        elif token["open"]:
            before.brackets.append(Bracket(start, [place]))
        elif token["close"]:
            if before.brackets:
                before.closed[place] = before.brackets[-1].offset
            if stop and len(before.brackets) == 1:
                break
            del before.brackets[-1:]
        elif before.brackets:
            before.brackets[-1].arguments.append(place)
    return before
