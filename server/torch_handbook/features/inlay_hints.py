"""Shapes behind the names that are assigned, where the worker saw tensors."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from torch_handbook.features import wording
from torch_handbook.snapshot import Snapshot
from torch_handbook.source.text import Position, Span, span_of


@dataclass(frozen=True)
class Hint:
    """A few characters that an editor draws behind a position, and Markdown for who rests on them."""

    position: Position
    label: str
    tooltip: str


def hints(snapshot: Snapshot, span: Span) -> list[Hint]:
    """The hints within a span; none when the settings say so."""
    if not snapshot.settings.inlay_hints:
        return []
    everything = snapshot.once("hints", lambda: sorted(_all(snapshot), key=lambda hint: hint.position))
    return [hint for hint in everything if span.contains(hint.position)]


def _all(snapshot: Snapshot) -> Iterator[Hint]:
    if not snapshot.facts.known:
        return
    for node in ast.walk(snapshot.file.tree):
        if not _is_named(node):
            continue
        fact = snapshot.facts.of(node)
        label = wording.short(fact) if fact else None
        if fact and label:
            tooltip = f"`{wording.line(fact)}`\n\n{wording.details(fact)}".rstrip()
            yield Hint(_end(node), f": {label}", tooltip)


def _is_named(node: ast.AST) -> bool:
    """A name or attribute that is assigned, or a parameter."""
    if isinstance(node, (ast.Name, ast.Attribute)):
        return isinstance(node.ctx, ast.Store)
    return isinstance(node, ast.arg) and node.annotation is None


def _end(node: ast.AST) -> Position:
    return span_of(node).end
