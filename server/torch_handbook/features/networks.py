"""The networks of a file that can be summed up: which stands at a place, and which deserves a line above it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from torch_handbook_worker.protocol import ModuleFact, SummaryRequest

from torch_handbook.snapshot import Snapshot
from torch_handbook.source.text import Position, span_of


def classes(snapshot: Snapshot) -> list[ast.ClassDef]:
    """The classes of the file's own level that are networks: they derive from a module of torch and have a forward."""
    return snapshot.once("networks", lambda: list(_classes(snapshot)))


def _classes(snapshot: Snapshot) -> Iterator[ast.ClassDef]:
    for node in snapshot.file.tree.body:
        if isinstance(node, ast.ClassDef) and any(
            isinstance(one, ast.FunctionDef) and one.name == "forward" for one in node.body
        ):
            names, sure = snapshot.file.flow.classes.torch_bases(node)
            if sure and any(name.startswith("torch.nn.") for name in names):
                yield node


def outermost(snapshot: Snapshot) -> list[ast.ClassDef]:
    """Those that no other class of the file makes: the whole rather than its parts."""
    found = classes(snapshot)
    made = {
        call.func.id
        for node in snapshot.file.tree.body
        if isinstance(node, ast.ClassDef)
        for call in ast.walk(node)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
    }
    return [node for node in found if node.name not in made]


def at(snapshot: Snapshot, position: Position) -> str | None:
    """The name of the network that stands at a place, or around it: a variable of the file, or a class."""
    place = snapshot.file.place_at(position)
    node = place.node if place else None
    if isinstance(node, ast.Name) and _is_of_module(snapshot, node) and isinstance(snapshot.facts.of(node), ModuleFact):
        return node.id
    found = [one for one in classes(snapshot) if span_of(one).contains(position)]
    return found[0].name if found else None


def request(snapshot: Snapshot, name: str, roots: Sequence[str]) -> SummaryRequest:
    """What to ask the worker about a network; of a half-typed file, what a parser takes of it."""
    content = snapshot.file.parsed.source if snapshot.file.problem else snapshot.text.content
    return SummaryRequest(snapshot.file.path, content, list(roots), name, libraries=[*snapshot.settings.libraries])


def _is_of_module(snapshot: Snapshot, node: ast.Name) -> bool:
    """Whether a name is one of the file's own level."""
    scope = snapshot.file.flow.tree.scope_of(node).find(node.id)
    return scope is not None and scope.parent is None
