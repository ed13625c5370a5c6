"""What is known of the releases of torch without torch: the names that each has, and what each calls deprecated."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from torch_handbook.source.names import canonical

Release = tuple[int, int]
NUMBER = re.compile(r"(\d+)\.(\d+)")
RANKS = {"removed": 0, "warns": 1, "": 2}
NAME = re.compile(r"(\w+)(?:\+([\d.]+))?(?:-([\d.]+))?")


@dataclass(frozen=True)
class Mark:
    """What a torch says of one name that is not to be used any more, or of one of its keywords."""

    name: str
    keyword: str
    state: str  # "warns": so it does when it is used; "removed": it only says that it was; "": it is written in its docstring
    since: Release | None  # None: for longer than is known
    instead: str  # what takes its place, in torch's own words; "" where torch names nothing
    text: str


def release(version: str | None) -> Release | None:
    """The release that a version belongs to: (2, 13) for "2.13.0+cu130"."""
    found = NUMBER.match(version or "")
    return (int(found[1]), int(found[2])) if found else None


@cache
def table() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(files("torch_handbook.source").joinpath("torch_releases.json").read_text("utf-8"))
    return found


@cache
def releases() -> tuple[Release, ...]:
    """The releases that the table tells of, oldest first."""
    return tuple(found for text in table()["releases"] if (found := release(text)))


def is_told(version: str | None) -> bool:
    """Whether the marks of a torch are in the table, so that its files need not be read for them."""
    return (release(version) or releases()[-1]) <= releases()[-1]


@cache
def marks_of(wanted: Release) -> Mapping[tuple[str, str], Mark]:
    """The marks of a release, by name and keyword; of one that the table does not reach, those of the nearest."""
    at = min(max(wanted, releases()[0]), releases()[-1])
    rows = (row for row in table()["marks"] if (release(row[3]) or at) <= at and (not row[4] or at < (release(row[4]) or at)))
    return indexed(read(row) for row in rows)


def indexed(marks: Iterable[Mark]) -> dict[tuple[str, str], Mark]:
    """By name and keyword; what torch says of a name under its public path goes first."""
    found: dict[tuple[str, str], Mark] = {}
    for mark in sorted(marks, key=lambda mark: (mark.name != canonical(mark.name), RANKS[mark.state])):
        found.setdefault((canonical(mark.name), mark.keyword), mark)
    return found


def read(row: Sequence[str]) -> Mark:
    """A row of the table, or of one that was made of the installed torch."""
    name, keyword, state, since, _, instead, text = row
    return Mark(name, keyword, state, release(since), instead, text)


@cache
def added(name: str) -> Release | None:
    """The release that brought a name which takes the place of another; None: it was always there, or that is not known."""
    return release(table()["added"].get(name))


@cache
def spans(owner: str) -> Mapping[str, tuple[Release | None, Release | None]]:
    """The names of a module or class that is known completely, each with the release that brought it and the first without it."""
    words: str = table()["names"].get(owner, "")
    found = [match for word in words.split() if (match := NAME.fullmatch(word))]
    return {match[1]: (release(match[2]), release(match[3])) for match in found}
