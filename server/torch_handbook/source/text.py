"""The text of a file, and positions in it: lines from 1, columns in UTF-8 bytes from 0, as in `ast`."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

# Python and the Language Server Protocol agree on these three, not on \f, \v or U+2028, where str.splitlines cuts too.
LINE_END = re.compile(r"\r\n|\r|\n")


class Position(NamedTuple):
    """A place between two characters: line from 1, column in UTF-8 bytes from 0."""

    line: int
    column: int


class Span(NamedTuple):
    """What lies between two positions, in `ast` terms: lines from 1, columns in UTF-8 bytes from 0, the end excluded."""

    line: int
    column: int
    end_line: int
    end_column: int

    @property
    def start(self) -> Position:
        return Position(self.line, self.column)

    @property
    def end(self) -> Position:
        return Position(self.end_line, self.end_column)

    def contains(self, position: Position) -> bool:
        """Whether the position is inside or at either edge, as a cursor is."""
        return self.start <= position <= self.end


def span_of(node: ast.AST) -> Span:
    """The span of a node that has one (expressions, statements, arguments, keywords, aliases, handlers)."""
    line: int = getattr(node, "lineno", 1)
    column: int = getattr(node, "col_offset", 0)
    return Span(line, column, getattr(node, "end_lineno", None) or line, getattr(node, "end_col_offset", None) or column)


def head_of(line: str, column: int) -> str:
    """The characters of a line before a column in bytes; a column inside a character counts as its start."""
    head = line.encode("utf-8", "surrogatepass")[: max(column, 0)]
    try:
        return head.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:  # half a character at its end
        return head.decode("utf-8", "ignore")


def end_of_edit(old: Text, new: Text) -> Position:
    """Where what is new in a text ends: where the cursor of its writer was then, or inside of letters that are all the same."""
    return new.position(len(new.content) - _common(old.content[::-1], new.content[::-1]))


def _common(one: str, other: str) -> int:
    """How many characters two texts begin with in common: by halves, as going through a long one letter by letter takes long."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


@dataclass(frozen=True)
class Text:
    """The characters of a file, and the arithmetic between offsets, positions and lines."""

    content: str

    @cached_property
    def starts(self) -> list[int]:
        """The offset in characters at which each line begins."""
        if "\r" in self.content:
            return [0, *(found.end() for found in LINE_END.finditer(self.content))]
        # Three times as fast, which counts in a long file: each letter that is typed makes a new text.
        *lines, _last = self.content.split("\n")
        return [row + before for row, before in enumerate(accumulate(map(len, lines), initial=0))]

    @cached_property
    def line_end(self) -> str:
        """How the lines of the file end: as its first one does."""
        found = LINE_END.search(self.content)
        return found.group() if found else "\n"

    def ended(self, text: str) -> str:
        """A text that is put into the file, with its lines ended as the file's are."""
        return LINE_END.sub(lambda _: self.line_end, text)

    def has(self, word: str) -> bool:
        """Whether a word stands anywhere in the text; looked for once, since rules ask it at each of their nodes."""
        if word not in self._words:
            self._words[word] = word in self.content
        return self._words[word]

    @cached_property
    def _words(self) -> dict[str, bool]:
        return {}

    @property
    def line_count(self) -> int:
        return len(self.starts)

    def line(self, number: int) -> str:
        """Line `number` (from 1) without its line end; "" past either end of the file."""
        if not 1 <= number <= len(self.starts):
            return ""
        end = self.starts[number] if number < len(self.starts) else len(self.content)
        return self.content[self.starts[number - 1] : end].rstrip("\r\n")

    def offset(self, position: Position) -> int:
        """The offset in characters of a position; what lies past the line or the file is moved to its end."""
        if position.line < 1:
            return 0
        if position.line > len(self.starts):
            return len(self.content)
        line = self.line(position.line)
        if line.isascii():
            return self.starts[position.line - 1] + min(max(position.column, 0), len(line))
        return self.starts[position.line - 1] + len(head_of(line, position.column))

    def position(self, offset: int) -> Position:
        """The position of an offset in characters."""
        offset = min(max(offset, 0), len(self.content))
        row = bisect_right(self.starts, offset)
        head = self.content[self.starts[row - 1] : offset]
        return Position(row, len(head) if head.isascii() else len(head.encode("utf-8", "surrogatepass")))

    def slice(self, span: Span) -> str:
        """The characters of a span."""
        return self.content[self.offset(span.start) : self.offset(span.end)]

    def whole(self) -> Span:
        """The span of the whole file."""
        return Span(1, 0, *self.position(len(self.content)))
