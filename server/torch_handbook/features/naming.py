"""What a place in a file is called: by the file's own words first, then by what the worker saw."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from torch_handbook_worker.protocol import Fact, ModuleFact, ObjectFact, TensorFact

from torch_handbook.snapshot import Snapshot
from torch_handbook.source.place import Place
from torch_handbook.source.results import of_tensor
from torch_handbook.source.text import Position

TENSOR, MODULE = "torch.Tensor", "torch.nn.Module"


@dataclass(frozen=True)
class Named:
    """A place, and the public name of what stands there, where it is known."""

    place: Place
    name: str | None


def named_at(snapshot: Snapshot, position: Position) -> Named | None:
    """What stands at a position, and what it is called."""
    place = snapshot.file.place_at(position)
    if place is None:
        return None
    return Named(place, place.name or member_name(snapshot, place.receiver, place.attribute))


def member_name(snapshot: Snapshot, receiver: ast.expr | None, attribute: str | None) -> str | None:
    """The name of `receiver.attribute`, when the worker knows what the receiver is, or what its methods were called on."""
    if receiver is None or attribute is None:
        return None
    for owner in owners(snapshot.facts.of(receiver)) or ((TENSOR,) if is_chain(snapshot, receiver) else ()):
        name = f"{owner}.{attribute}"
        if snapshot.handbook.find(name) or snapshot.docs.doc(name):
            return name
    return None


def is_chain(snapshot: Snapshot, node: ast.expr) -> bool:
    """Whether this is a tensor by a method that was called on one: `x.eq(anything).sum()`, x being known."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    given, receiver = of_tensor(node.func.attr, node), node.func.value
    known = isinstance(snapshot.facts.of(receiver), TensorFact) or is_chain(snapshot, receiver)
    return known and given is not None and given.kind == "tensor"


def owners(fact: Fact | None) -> tuple[str, ...]:
    """The public classes in which a member of this value may be described, the nearest first."""
    if isinstance(fact, TensorFact):
        return (TENSOR,)
    if isinstance(fact, ModuleFact):
        return (fact.type, MODULE) if fact.type.startswith("torch.") else (MODULE,)
    if isinstance(fact, ObjectFact) and fact.type.startswith("torch."):
        return (fact.type,)
    return ()
