"""Where the parts of a JSON text lie in it, so that one of them is changed and every other character stays."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

SPACE = re.compile(r"[ \t\r\n]*")
DECODER = json.JSONDecoder()


class Part(NamedTuple):
    """From and to which character a value lies."""

    start: int
    end: int


def members(content: str, start: int) -> Iterator[tuple[str, Part]]:
    """The keys and values of the object that begins at a place of a sound JSON text."""
    at = behind_space(content, start + 1)
    while content[at] != "}":
        key, at = DECODER.raw_decode(content, at)
        value = behind_space(content, behind_space(content, at) + 1)  # behind the colon
        at = DECODER.raw_decode(content, value)[1]
        yield str(key), Part(value, at)
        at = behind_comma(content, at)


def items(content: str, start: int) -> Iterator[Part]:
    """The items of the array that begins at a place."""
    at = behind_space(content, start + 1)
    while content[at] != "]":
        end = DECODER.raw_decode(content, at)[1]
        yield Part(at, end)
        at = behind_comma(content, end)


def behind_space(content: str, at: int) -> int:
    found = SPACE.match(content, at)
    return found.end() if found else at


def behind_comma(content: str, at: int) -> int:
    at = behind_space(content, at)
    return behind_space(content, at + 1) if content[at] == "," else at


def with_strings(content: str, array: Part, strings: Sequence[str]) -> str:
    """An array of strings with others in it, laid out as it is; strings that it has are written as they are there."""
    places = list(items(content, array.start))
    written = {json.loads(content[start:end]): content[start:end] for start, end in places}
    first, last = places[0], places[-1]
    lead, tail = content[array.start + 1 : first.start], content[last.end : array.end]
    between = content[first.end : places[1].start] if len(places) > 1 else f",{lead}"
    return f"[{lead}{between.join(written.get(one) or quoted(one, content) for one in strings)}{tail}"


def quoted(string: str, content: str) -> str:
    """A string as JSON, with the characters beyond ASCII that the rest of the text has, too."""
    return json.dumps(string, ensure_ascii=content.isascii())
