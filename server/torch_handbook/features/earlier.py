"""What an expression is that is being typed: its line has no facts yet, so its names are looked up where they stood last."""

from __future__ import annotations

import ast

from torch_handbook_worker.protocol import Fact, ModuleFact, TupleFact

from torch_handbook.features.naming import TENSOR, owners
from torch_handbook.snapshot import Snapshot
from torch_handbook.source.results import of_tensor
from torch_handbook.source.text import Position, span_of


def owners_of(snapshot: Snapshot, node: ast.expr, place: Position) -> tuple[str, ...]:
    """The public classes whose members can follow an expression that ends at a place, the nearest first."""
    if known := owners(fact_of(snapshot, node, place)):
        return known
    if isinstance(node, ast.Subscript):  # a part of a tensor
        return (TENSOR,) if TENSOR in owners_of(snapshot, node.value, place) else ()
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        given = of_tensor(node.func.attr, node)
        chained = given is not None and given.kind == "tensor" and TENSOR in owners_of(snapshot, node.func.value, place)
        return (TENSOR,) if chained else ()
    layer = layer_of(snapshot, node, place)
    return (layer,) if layer else ()


def method_of(snapshot: Snapshot, function: ast.expr | None) -> str | None:
    """The public name of a method that is being called on what only the worker knows: "torch.Tensor.sum" for `x.sum`."""
    if not isinstance(function, ast.Attribute):
        return None
    names = (f"{owner}.{function.attr}" for owner in owners_of(snapshot, function.value, span_of(function).start))
    return next((name for name in names if snapshot.handbook.find(name) or snapshot.docs.doc(name)), None)


def fact_of(snapshot: Snapshot, node: ast.expr, place: Position) -> Fact | None:
    """What the worker saw in an expression, or in the same words above a place."""
    if not snapshot.facts.known:
        return None
    if isinstance(node, ast.Subscript):
        whole, index = fact_of(snapshot, node.value, place), node.slice
        if isinstance(whole, TupleFact) and isinstance(index, ast.Constant) and isinstance(index.value, int):
            return whole.items[index.value] if -len(whole.items) <= index.value < len(whole.items) else None
        return None
    if not isinstance(node, (ast.Name, ast.Attribute)):
        return snapshot.facts.of(node)
    words = ast.unparse(node)
    above = (one for one in _alike(snapshot, node) if span_of(one).end_line < place.line and _words(one) == words)
    return snapshot.facts.of(max(above, key=lambda one: span_of(one), default=None))


def class_of(snapshot: Snapshot, node: ast.expr, place: Position) -> ast.ClassDef | None:
    """The class of this file that an expression is an instance of, by what the file says or by what the worker saw."""
    value = snapshot.file.value_of(node)
    if value and value.kind == "instance" and isinstance(value.node, ast.ClassDef):
        return value.node
    fact = fact_of(snapshot, node, place) if value is None else None
    return class_named(snapshot, fact.type) if isinstance(fact, ModuleFact) else None


def class_named(snapshot: Snapshot, name: str) -> ast.ClassDef | None:
    """The class of this file that the worker speaks of."""
    found = snapshot.file.grown.module.bindings.get(name, [])
    named = found[0].node if len(found) == 1 else None
    return named if isinstance(named, ast.ClassDef) else None


def layer_of(snapshot: Snapshot, node: ast.expr, place: Position) -> str | None:
    """The documented class of what a network of this file keeps in an attribute: "torch.nn.Module" for `model.fc`."""
    owner = class_of(snapshot, node.value, place) if isinstance(node, ast.Attribute) else None
    found = snapshot.file.flow.classes.lookup(owner, node.attr) if owner and isinstance(node, ast.Attribute) else []
    values = {snapshot.file.value_of(one.value) for one in found if one.value and one.path == ()}
    value = values.pop() if len(values) == 1 else None
    return value.base if value and value.kind in ("instance", "tensor") else None


def _alike(snapshot: Snapshot, node: ast.Name | ast.Attribute) -> list[ast.AST]:
    """The nodes of a file that may be the same variable, by their last word."""
    index = snapshot.file.index
    if isinstance(node, ast.Attribute):
        return [*index.attributes.get(node.attr, [])]
    return [*index.names.get(node.id, []), *(one for one in index.all(ast.arg) if one.arg == node.id)]


def _words(node: ast.AST) -> str:
    return node.arg if isinstance(node, ast.arg) else ast.unparse(node)
