"""Ways onward to a page: from the id of a rule in a comment that silences it, and from a name of torch."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from torch_handbook.engine import registry, ruledoc
from torch_handbook.engine.suppressions import Suppressions
from torch_handbook.features.naming import named_at
from torch_handbook.snapshot import Snapshot
from torch_handbook.source.text import Position, Span

NAME = re.compile(rb"[\w-]+")


@dataclass(frozen=True)
class Link:
    """A piece of the text, the name of the page that it leads to, and a sentence about that."""

    span: Span
    page: str
    tooltip: str


def links(snapshot: Snapshot) -> list[Link]:
    """The ids of rules in a file's comments; other words among them lead nowhere."""
    return snapshot.once("links", lambda: list(_links(snapshot)))


def link_at(snapshot: Snapshot, position: Position) -> Link | None:
    """The id of a rule under a cursor, or right before it."""
    return next((link for link in links(snapshot) if link.span.start <= position <= link.span.end), None)


def page_at(snapshot: Snapshot, position: Position) -> str | None:
    """The name of the page that explains what stands at a position: a rule's, the handbook's, or that of torch's own words."""
    if link := link_at(snapshot, position):
        return link.page
    named = named_at(snapshot, position)
    name = named.name if named and named.place.kind != "definition" else None
    entry = snapshot.handbook.find(name) if name else None
    return entry.name if entry else name if name and snapshot.docs.doc(name) else None


def _links(snapshot: Snapshot) -> Iterator[Link]:
    for comment in Suppressions.of(snapshot.text).comments:
        line = snapshot.text.line(comment.span.line).encode("utf-8", "surrogatepass")
        start = line.find(b"[", comment.span.column, comment.span.end_column)
        for found in NAME.finditer(line, start, comment.span.end_column) if start >= 0 else ():
            name = found.group().decode("utf-8", "replace")
            doc = ruledoc.ruledoc(name) if registry.rule(name) else None
            if doc:
                yield Link(Span(comment.span.line, found.start(), comment.span.line, found.end()), name, doc.summary)
