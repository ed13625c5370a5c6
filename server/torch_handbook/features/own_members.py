"""What the classes of a file give their instances, as offers: the layers of a network stand before what every Module has."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from torch_handbook.features.earlier import class_named, class_of
from torch_handbook.features.inside import Spot, items
from torch_handbook.features.offers import ATTRIBUTE, METHOD, Item, brief
from torch_handbook.features.own import signature
from torch_handbook.snapshot import Snapshot
from torch_handbook.source.classes import METHODS, kind_of
from torch_handbook.source.scopes import Binding
from torch_handbook.source.text import Position


def members_of_own(snapshot: Snapshot, receiver: ast.expr, place: Position, found: Sequence[Spot]) -> tuple[Item, ...]:
    """The attributes and methods that an expression has of its own: those of its class in this file, else the modules inside it.

    Of the latter no other server knows, so they are offered in each mode.
    """
    kinds = {class_named(snapshot, spot.type) for spot in found}
    owner = class_of(snapshot, receiver, place) or (kinds.pop() if len(kinds) == 1 else None)
    if owner is None:
        return items(found)
    return _of_class(snapshot, owner) if snapshot.settings.completion_mode == "all" else ()


def _of_class(snapshot: Snapshot, owner: ast.ClassDef) -> tuple[Item, ...]:
    """What the nearest of its classes gives comes first."""
    found = {binding.name: binding for binding in _bindings(snapshot, owner)}
    return tuple(_item(snapshot, name, binding) for name, binding in found.items() if not name.startswith("__"))


def _bindings(snapshot: Snapshot, owner: ast.ClassDef) -> Iterator[Binding]:
    """What gives the attributes of an instance their values; the nearest class comes last and counts."""
    classes, tree = snapshot.file.flow.classes, snapshot.file.grown
    for here in reversed(list(classes.lineage(owner))):
        for found in (tree.scopes[here].bindings, classes.attributes.get(here, {})):
            yield from (bindings[0] for bindings in found.values() if bindings)


def _item(snapshot: Snapshot, name: str, binding: Binding) -> Item:
    """One offer, before all that torch has: a private name behind the public ones."""
    node, sort = binding.node, f"{'#' if name.startswith('_') else '!'}{name}"
    if isinstance(node, METHODS) and kind_of(node) != "property":
        return Item(name, METHOD, "", sort, brief(signature(node.args, None, bound=kind_of(node) != "staticmethod")))
    value = snapshot.file.value_of(binding.value) if binding.value and binding.path == () else None
    known = value.name.rpartition(".")[2] if value and value.kind in ("instance", "tensor") else ""
    return Item(name, ATTRIBUTE, "", sort, f": {known}" if known else "")
