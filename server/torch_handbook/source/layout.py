"""Where statements begin and end, told from brackets, quotes and indentation alone, so that it works on broken text."""

from __future__ import annotations

import re
from dataclasses import dataclass

TOKEN = re.compile(
    r"""\#.*|(?P<triple>\"{3}|'{3})|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<go>\\$)"""
)
INDENT = re.compile(r"[ \t\f]*")
FRESH = re.compile(
    r"\s*(?:(?:def|class|import|from|return|if|elif|else|for|while|with|try|except|finally|async|raise|pass|del|assert|break|continue)\b"
    r"|@|[A-Za-z_][\w.]*(?:\[[^\]]*\])?\s*(?:[-+*/]?=(?!=)|:\s|\())"
)
BLOCK = re.compile(r"\s*(?:async\s+)?(?:if|elif|else|for|while|with|def|class|try|except|finally|match|case)\b")
FOLLOWS = re.compile(r"\s*(?:else|elif|except|finally|case)\b")
CLOSERS = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True)
class Logical:
    """One statement's own lines, numbered from 0, both ends included."""

    first: int
    last: int
    indent: int
    opens: bool = False  # it begins a compound statement: if, for, def, …
    follows: bool = False  # it goes on with one: else, except, …


def width(line: str) -> int:
    """The indentation of a line, tabs counted to the next eighth column."""
    found = INDENT.match(line)
    return len(found[0].rpartition("\f")[2].expandtabs(8)) if found else 0


def logical_lines(lines: list[str]) -> list[Logical]:
    """The statements of a text, one after the other; comments and empty lines belong to none."""
    found: list[Logical] = []
    row = 0
    while row < len(lines):
        if not lines[row].strip() or lines[row].lstrip().startswith("#"):
            row += 1
            continue
        last = end_of_statement(lines, row)
        opens, follows = BLOCK.match(lines[row]) is not None, FOLLOWS.match(lines[row]) is not None
        found.append(Logical(row, last, width(lines[row]), opens, follows))
        row = last + 1
    return found


def end_of_statement(lines: list[str], first: int) -> int:
    """The last line of the statement that begins at a line.

    A bracket does not reach over a line that is not indented more and looks like a new statement, and a triple quote that
    nothing ends does not reach over its own line.
    """
    brackets, quote, going, start = "", "", False, width(lines[first])
    for row in range(first, len(lines)):
        line = lines[row]
        if row > first and not quote and not going and ends_before(line, start, brackets):
            return last_written(lines, first, row - 1)
        brackets, quote, going = scan(line, brackets, quote)
        if not quote and not going and not brackets:
            return row
    return first if quote else last_written(lines, first, len(lines) - 1)


def last_written(lines: list[str], first: int, last: int) -> int:
    """The last line of a range that is not empty."""
    return next((row for row in range(last, first, -1) if lines[row].strip()), first)


def ends_before(line: str, start: int, brackets: str) -> bool:
    return bool(brackets) and bool(line.strip()) and width(line) <= start and FRESH.match(line) is not None


def scan(line: str, brackets: str, quote: str) -> tuple[str, str, bool]:
    """The open brackets, the open triple quote and whether a backslash goes on, after a line."""
    place = 0
    while True:
        if quote:
            end = closing(line, quote, place)
            if end < 0:
                return brackets, quote, False
            place, quote = end, ""
        token = TOKEN.search(line, place)
        if token is None:
            return brackets, "", False
        place = token.end()
        if token["triple"]:
            quote = token["triple"]
        elif token["open"]:
            brackets += token["open"]
        elif token["close"]:
            brackets = brackets[:-1]
        elif token["go"] is not None:
            return brackets, "", True


def closing(line: str, quote: str, place: int) -> int:
    """Behind the triple quote that ends a string, or -1."""
    while True:
        end = line.find(quote, place)
        if end < 0:
            return -1
        slashes = len(line[:end]) - len(line[:end].rstrip("\\"))
        if slashes % 2 == 0:
            return end + 3
        place = end + 1
