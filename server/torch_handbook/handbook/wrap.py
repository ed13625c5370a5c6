"""Breaks prose between words at a hover's width: editors that show Markdown raw would break it in the middle of them.

A newline inside a paragraph is a space in Markdown, so editors that render it set the text to their own width.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

WIDTH = 80
MARKUP = re.compile(r"[-+*]$|\d+[.)]$|[#<>|]|={3}|-{3}|`{3}|~{3}")  # a word that means something else at the start of a line
ITEM = re.compile(r"\s*(?:(?:[-*+]|\d+[.)])\s+)?")


def wrapped(text: str) -> str:
    """Text with no line wider than WIDTH, where its words allow it. Its own line breaks stay, list items hang."""
    return "\n".join(part for line in text.rstrip().split("\n") for part in _lines(line))


def _lines(line: str) -> Iterator[str]:
    """A line broken into several. A word that would turn into markup at the start of one stays at the end of the one before."""
    mark = ITEM.match(line)
    start = mark[0] if mark else ""
    current, empty = start, True
    for word in line[len(start) :].split():
        if empty or len(current) + 1 + len(word) <= WIDTH or MARKUP.match(word):
            current += word if empty else f" {word}"
        else:
            yield current
            current = " " * len(start) + word
        empty = False
    yield current.rstrip()
