"""Where in torch's files a public name is defined: the file, and the place of the name in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from torch_handbook.torchdocs.library import Library
from torch_handbook.torchdocs.sources import Definition


@dataclass(frozen=True)
class Origin:
    """A name in a file: its line from 1, and its columns from 0."""

    path: Path
    line: int
    start: int
    end: int


def origin(library: Library, name: str) -> Origin | None:
    """Where a public name leads to; of a builtin that is its stub, as there is no other Python of it."""
    definition = library.find(name)
    path = library.path_of(definition.module) if definition else None
    if definition is None or path is None:
        return None
    if definition.kind == "module":
        return Origin(path, 1, 0, 0)
    try:
        lines = path.read_text("utf-8", "replace").split("\n")
    except OSError:
        return None
    return next(places(definition, path, lines), None)


def places(definition: Definition, path: Path, lines: list[str]) -> Iterator[Origin]:
    """Where the name stands, the likeliest place first: where the tree says, as a definition, as something assigned."""
    word = re.escape(definition.name)
    defined = re.compile(rf"\s*(?:async\s+)?(?:def|class)\s+({word})\b")
    assigned = re.compile(rf"\s*(?:self\.)?({word})\s*[:=]")
    known = line_of(definition) if path.suffix == ".py" else None  # long stubs are parsed in pieces, whose lines are their own
    for rows in (range(known, known + 1) if known else (), inside(definition.owner, lines)):
        for pattern in (defined, assigned):
            for row in rows:
                found = pattern.match(lines[row - 1])
                if found:
                    yield Origin(path, row, found.start(1), found.end(1))


def line_of(definition: Definition) -> int | None:
    return getattr(definition.nodes[-1], "lineno", None) if definition.nodes else None


def inside(owner: str | None, lines: list[str]) -> range:
    """The lines of a class, or all of them; a member of a class stands no deeper than its methods do."""
    if owner is None:
        return range(1, len(lines) + 1)
    head = re.compile(rf"class\s+{re.escape(owner)}\b")
    start = next((row for row, line in enumerate(lines, 1) if head.match(line)), None)
    if start is None:
        return range(0)
    end = next((row for row in range(start + 1, len(lines) + 1) if lines[row - 1][:1] not in ("", " ", ")", "#")), len(lines) + 1)
    return range(start + 1, end)
