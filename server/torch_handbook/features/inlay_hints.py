"""Shapes behind the names that are assigned and the values that are returned, where the worker saw tensors."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from torch_handbook_worker.protocol import TensorFact

from torch_handbook.engine.facts import Facts
from torch_handbook.features import wording
from torch_handbook.snapshot import Snapshot
from torch_handbook.source.file import File
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
    chains = snapshot.settings.inlay_hints_chains
    everything = snapshot.once("hints", lambda: of_file(snapshot.file, snapshot.facts, chains=chains))
    return [hint for hint in everything if span.contains(hint.position)]


def of_file(file: File, facts: Facts, *, chains: bool = False) -> list[Hint]:
    """All hints of a file, in its order; with those behind the calls of a chain where that is wanted."""
    return sorted(_all(file, facts, chains), key=lambda hint: hint.position) if facts.known else []


def _all(file: File, facts: Facts, chains: bool) -> Iterator[Hint]:
    usual = usual_device(facts)
    for node in ast.walk(file.tree):
        place = _place(node, chains=chains)
        fact = facts.of(place) if place else None
        label = wording.short(fact, usual) if fact else None
        if place and fact and label:
            tooltip = f"`{wording.line(fact)}`\n\n{wording.details(fact)}".rstrip()
            yield Hint(span_of(place).end, f": {label}", tooltip)


def usual_device(facts: Facts) -> str:
    """Where most of the file's tensors are: only of the others it is said where they are."""
    devices = Counter(
        fact.device for fact in facts.by_span.values() if isinstance(fact, TensorFact) and fact.device not in ("?", "")
    )
    return devices.most_common(1)[0][0] if devices else "cpu"


def _place(node: ast.AST, *, chains: bool) -> ast.AST | None:
    """What a hint stands behind: a name that is assigned, a parameter, a returned value that has no name, and, where that is
    wanted, each call whose result the next call of a chain is about."""
    if isinstance(node, ast.arg):
        return node if node.annotation is None else None
    if isinstance(node, ast.Return):
        parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        return None if all(isinstance(part, (ast.Name, ast.Constant)) for part in parts) else node.value
    if isinstance(node, ast.Attribute) and chains and isinstance(node.value, ast.Call) and isinstance(node.ctx, ast.Load):
        return node.value
    return node if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store) else None
