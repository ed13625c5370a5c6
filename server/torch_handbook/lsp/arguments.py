"""What a command was called with, read leniently: editors write the same thing in different ways, and some send nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast


@dataclass(frozen=True)
class Lines:
    """Which lines of which file to time (from 1, both included), and whether the server should show the report."""

    uri: str
    line: int
    end_line: int
    show: bool = True


def lines(arguments: Sequence[Any]) -> Lines | None:
    """`[uri, {line, endLine}]`, `[uri, {start, end}]` with numbers or positions, or `[{uri, …}]`; lines from 0.

    A range that ends before the first character of a line leaves that line out. None where there is no file or no line.
    """
    uri = next((item for item in arguments if isinstance(item, str)), None)
    options: dict[str, Any] = {}
    for item in arguments:
        if isinstance(item, Mapping):
            options.update(cast("Mapping[str, Any]", item))
    options.update(cast("Mapping[str, Any]", options["range"]) if isinstance(options.get("range"), Mapping) else {})
    numbers = [item for item in arguments if isinstance(item, int) and not isinstance(item, bool)]
    uri = uri or options.get("uri")
    first = _line(options.get("line", options.get("start", numbers[0] if numbers else None)))
    last = _line(options.get("endLine", options.get("end", numbers[1] if len(numbers) > 1 else first)))
    if not isinstance(uri, str) or first is None or last is None:
        return None
    end = options.get("end")
    if last > first and isinstance(end, Mapping) and cast("Mapping[str, Any]", end).get("character") == 0:
        last -= 1
    return Lines(uri, first + 1, max(first, last) + 1, options.get("show") is not False)


@dataclass(frozen=True)
class Asked:
    """Which network of which file to sum up, by its name or by a place (from 0), with what it may fit into."""

    uri: str
    name: str = ""
    line: int | None = None
    character: int = 0
    memory: str = ""
    show: bool = True


def network(arguments: Sequence[Any]) -> Asked | None:
    """`[uri]`, `[uri, name]`, `[uri, {name, memory}]` or `[uri, {line, character}]`, or one object; None without a file."""
    words = [item for item in arguments if isinstance(item, str)]
    options: dict[str, Any] = {}
    for item in arguments:
        if isinstance(item, Mapping):
            options.update(cast("Mapping[str, Any]", item))
    uri = words[0] if words else options.get("uri")
    if not isinstance(uri, str):
        return None
    name = words[1] if len(words) > 1 else options.get("name")
    column = options.get("character")
    return Asked(
        uri,
        name.strip() if isinstance(name, str) else "",
        _line(options.get("line")),
        column if isinstance(column, int) and column >= 0 else 0,
        str(options.get("memory") or ""),
        options.get("show") is not False,
    )


def word(arguments: Sequence[Any]) -> str | None:
    """The first text among the arguments."""
    return next((item.strip() for item in arguments if isinstance(item, str) and item.strip()), None)


def _line(value: Any) -> int | None:
    """A line number, or that of a position."""
    if isinstance(value, Mapping):
        value = cast("Mapping[str, Any]", value).get("line")
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
