"""Recognises the message of an error by the patterns of the error pages: "Found dtype {found} but expected {expected}"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from torch_handbook.handbook.entry import Entry

NAME = re.compile(r"\{([a-z][a-z0-9_]*)\}")


@dataclass(frozen=True)
class Recognised:
    """An error page that a message belongs to, the pattern that says so, and what stands in the places that vary."""

    page: str
    pattern: str
    values: Mapping[str, str]


def recognise(message: str, patterns: Mapping[str, Sequence[str]]) -> Recognised | None:
    """The page, of those given with their patterns, that is about a message; the pattern of which most is fixed decides."""
    return max(_matches(message, patterns), key=lambda match: weight(match.pattern), default=None)


def values_of(pattern: str, message: str) -> dict[str, str] | None:
    """What stands in a message at the names of a pattern; None where the pattern is not in it."""
    match = _compiled(pattern).search(message)
    return {name: value.strip().rstrip(".") for name, value in match.groupdict().items()} if match else None


def names_of(pattern: str) -> tuple[str, ...]:
    """The names of the places that vary."""
    return tuple(dict.fromkeys(NAME.findall(pattern)))


def weight(pattern: str) -> int:
    """How much of a pattern is fixed, in characters."""
    return len("".join(NAME.sub("", pattern).split()))


def reading(entry: Entry, values: Mapping[str, str]) -> str:
    """What the values of a message mean, in the page's words: the first of its readings of which all names are known."""
    known = (text for text in entry.readings if set(names_of(text)) <= values.keys())
    return NAME.sub(lambda name: values[name[1]], next(known, ""))


def _matches(message: str, patterns: Mapping[str, Sequence[str]]) -> Iterator[Recognised]:
    plain = " ".join(message.lower().split())
    for page, wordings in patterns.items():
        for pattern in wordings:
            # Most patterns are left out here, before they cost a regular expression.
            if all(words in plain for words in _fixed(pattern)) and (values := values_of(pattern, message)) is not None:
                yield Recognised(page, pattern, values)


@cache
def _fixed(pattern: str) -> tuple[str, ...]:
    """The parts of a pattern that do not vary, in lower case and with single spaces."""
    parts = re.split(r"\{[a-z][a-z0-9_]*\}", pattern)
    return tuple(" ".join(part.lower().split()) for part in parts)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """A pattern as a regular expression: spaces stand for any blanks, line breaks too; a name twice stands for the same text."""
    pieces = NAME.split(pattern)  # fixed, name, fixed, name, …, fixed
    written: list[str] = []
    for place, piece in enumerate(pieces):
        if place % 2 == 0:
            written.append(r"\s+".join(re.escape(word) for word in re.split(r"\s+", piece)))
        elif piece in pieces[1:place:2]:
            written.append(f"(?P={piece})")
        else:
            written.append(
                f"(?P<{piece}>{_value(first=not pieces[0] and place == 1, last=not pieces[-1] and place == len(pieces) - 2)})"
            )
    before = r"(?<!\w)" if re.match(r"\w", pieces[0]) else ""
    after = r"(?!\w)" if re.search(r"\w$", pieces[-1]) else ""
    return re.compile(f"{before}{''.join(written)}{after}", re.IGNORECASE)


def _value(*, first: bool, last: bool) -> str:
    """What may stand at a name: at the ends of a pattern the rest of the line, else as little as fits, over lines if need be."""
    return r"[^\n]+" if last else r"[^\n]+?" if first else r"[\s\S]{1,400}?"
