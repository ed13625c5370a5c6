"""Breaks prose between words at a hover's width: editors that show Markdown raw would break it in the middle of them.

A newline inside a paragraph is a space in Markdown, so editors that render it set the text to their own width.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

WIDTH = 80
MARKUP = re.compile(r"[-+*]$|\d+[.)]$|[#<>|]|={3}|-{3}|`{3}|~{3}")  # a word that means something else at the start of a line
FULL_MARK = re.compile(r"(?<=[，。；：！？、）」』])(?![，。；：！？、）」』])")  # a line may end behind these
SINGLE = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u303f]|[^\u3000-\u9fff\uf900-\ufaff\uff00-\uffef]+")
ITEM = re.compile(r"\s*(?:(?:[-*+]|\d+[.)])\s+)?")


def wrapped(text: str) -> str:
    """Text with no line wider than WIDTH, where its words allow it. Its own line breaks stay, list items hang."""
    return "\n".join(part for line in text.rstrip().split("\n") for part in _lines(line))


def width(text: str) -> int:
    """How many columns a text takes: two for each Chinese character and full-width mark."""
    return len(text) if text.isascii() else sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def _lines(line: str) -> Iterator[str]:
    """A line broken into several. A word that would turn into markup at the start of one stays at the end of the one before."""
    mark = ITEM.match(line)
    start = mark[0] if mark else ""
    current, empty = start, True
    for blank, word in _pieces(line[len(start) :]):
        if empty or width(current) + len(blank) + width(word) <= WIDTH or MARKUP.match(word):
            current += word if empty else f"{blank}{word}"
        else:
            yield current.rstrip()
            current = " " * len(start) + word
        empty = False
    yield current.rstrip()


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """What is kept together, each piece with the blank before it. Chinese has no blanks: it is broken behind its marks, and
    between its characters only where nothing else would make a line short enough."""
    for word in text.split():
        blank = " "
        for part in filter(None, FULL_MARK.split(word)):
            for piece in [part] if width(part) <= WIDTH else SINGLE.findall(part):
                yield blank, piece
                blank = ""
