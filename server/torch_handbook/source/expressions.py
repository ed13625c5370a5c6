"""What each kind of expression is worth, given what its parts are."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from torch_handbook.source import results
from torch_handbook.source.calls import CONTAINERS, of_call
from torch_handbook.source.classes import METHODS
from torch_handbook.source.flow import METHOD_NAMES, Flow, arithmetic
from torch_handbook.source.guesses import guess
from torch_handbook.source.meanings import named
from torch_handbook.source.resolve import is_torch
from torch_handbook.source.scopes import Binding
from torch_handbook.source.value import LIKELY_TENSOR, MODULE, TENSOR, Value, doubt, element, join, literal, many, several


def of_name(flow: Flow, node: ast.Name) -> Value | None:
    name = flow.names.of(node)
    if name:
        return named(name) or flow.of_export(flow.names.elsewhere(node))
    if isinstance(node.ctx, ast.Store):
        return flow.joined(flow.names.made_by(node))
    bindings = flow.names.bindings(node)
    if not bindings:
        return flow.of_export(flow.names.elsewhere(node))
    return (
        narrowed(flow, node, bindings)
        or flow.joined(bindings)
        or mostly_tensor(flow, node, bindings)
        or used_as_tensor(flow, node, bindings)
    )


def mostly_tensor(flow: Flow, node: ast.Name, bindings: list[Binding]) -> Value | None:
    """A variable that is a tensor by one way that leads here, where nothing is known of the other ways."""
    if flow.search.skipped or len(bindings) < 2 or len(bindings) > 6:
        return None
    values = [flow.joined([binding]) for binding in bindings]
    if any(value is None and binding.annotation is not None for value, binding in zip(values, bindings, strict=True)):
        return None  # it is said what it is, and that is something else
    known = [value for value in values if value is not None and value.name != "None"]
    if not known or any(value.kind != "tensor" for value in known):
        return None
    function = next((around for around in flow.tree.ancestors(node) if isinstance(around, METHODS)), None)
    return LIKELY_TENSOR if function and flow.parameters.evidence.may_be_tensor(function, node.id) else None


def used_as_tensor(flow: Flow, node: ast.Name, bindings: list[Binding]) -> Value | None:
    """A variable of which only its uses tell that it is a tensor; nothing while it is still being found out what it is."""
    if flow.search.skipped or not bindings or any(one.kind != "assign" or (one.value and flow.of(one.value)) for one in bindings):
        return None
    function = next((around for around in flow.tree.ancestors(node) if isinstance(around, METHODS)), None)
    evidence = flow.parameters.evidence
    if function is None or not evidence.is_without_numpy(node) or not evidence.may_be_tensor(function, node.id):
        return None
    return LIKELY_TENSOR if evidence.moves_axes(function, node.id) else None


def narrowed(flow: Flow, node: ast.Name, bindings: list[Binding]) -> Value | None:
    """What a check of its class says of a name, unless the name is bound anew between the check and the use."""
    for check in flow.checks.of(node):
        start, end = (check.node.lineno, check.node.col_offset), (node.lineno, node.col_offset)
        if any(start < (binding.line, binding.column) <= end for binding in bindings):
            continue
        if isinstance(check.told, ast.Call):
            return TENSOR if flow.names.of(check.told.func) == "torch.is_tensor" else None
        choices = check.told.elts if isinstance(check.told, ast.Tuple) else [check.told]
        found = join([flow.annotations.read(choice) for choice in choices])
        if found and found.written and not found.base:  # part of what it is; the rest is what it was before
            return flow.joined(bindings) or found
        return found if found and found.kind in ("instance", "tensor") else None
    return None


def of_attribute(flow: Flow, node: ast.Attribute) -> Value | None:
    name = flow.names.of(node)
    if name and is_torch(name):
        return named(name)
    if found := flow.of_export(flow.names.elsewhere(node)):
        return found
    owner = flow.of(node.value)
    if owner:
        return flow.attribute(owner, node.attr)
    if node.attr in ("running_mean", "running_var"):
        return LIKELY_TENSOR
    guessed = guess(flow, node) or ""
    plain = guessed.startswith("torch.Tensor.") and node.attr not in METHOD_NAMES
    return doubt(results.of_tensor(node.attr, None), False) if plain else None


def of_subscript(flow: Flow, node: ast.Subscript) -> Value | None:
    owner = flow.of(node.value)
    if owner is None or owner.kind == "class":
        return owner
    sliced = isinstance(node.slice, ast.Slice)
    if owner.kind == "tensor":
        return replace(owner, name="torch.Tensor")
    if owner.name == "tuple" and not sliced:
        index = constant_index(node.slice)
        return owner.items[index] if index is not None and -len(owner.items) <= index < len(owner.items) else None
    if owner.name in CONTAINERS or owner.name in ("list", "torch.Size"):
        return owner if sliced else element(owner)
    if owner.name == "dict":
        return owner.items[0] if owner.items and not sliced else None
    if owner.name == "batch":
        return element(owner) if constant_index(node.slice) is not None else None
    # What is annotated as a module and has parts is a list of them.
    return MODULE if owner.name in ("torch.nn.ModuleDict", "torch.nn.Module") and not owner.written else None


def of_binary(flow: Flow, node: ast.BinOp) -> Value | None:
    return arithmetic(flow.of(node.left), flow.of(node.right))


def of_unary(flow: Flow, node: ast.UnaryOp) -> Value | None:
    return literal("bool") if isinstance(node.op, ast.Not) else flow.of(node.operand)


def of_compare(flow: Flow, node: ast.Compare) -> Value | None:
    if any(isinstance(operator, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for operator in node.ops):
        return literal("bool")
    sides = [flow.of(side) for side in (node.left, *node.comparators)]
    tensors = [side for side in sides if side and side.kind == "tensor"]
    return replace(tensors[0], name="torch.Tensor") if tensors else None


def of_choice(flow: Flow, node: ast.IfExp) -> Value | None:
    return join([flow.of(node.body), flow.of(node.orelse)])


def of_either(flow: Flow, node: ast.BoolOp) -> Value | None:
    return join([flow.of(value) for value in node.values])


def of_row(flow: Flow, node: ast.Tuple) -> Value | None:
    return None if any(isinstance(item, ast.Starred) for item in node.elts) else several(*map(flow.of, node.elts))


def of_list(flow: Flow, node: ast.List) -> Value | None:
    return many(join([flow.of(item) for item in node.elts])) if node.elts else None


def of_comprehension(flow: Flow, node: ast.ListComp | ast.GeneratorExp) -> Value | None:
    return many(flow.of(node.elt))


def of_walrus(flow: Flow, node: ast.NamedExpr) -> Value | None:
    return flow.of(node.value)


def of_constant(flow: Flow, node: ast.Constant) -> Value | None:
    return literal("None" if node.value is None else type(node.value).__name__)


FINDERS: dict[type[ast.expr], Callable[[Flow, Any], Value | None]] = {
    ast.Name: of_name,
    ast.Attribute: of_attribute,
    ast.Call: of_call,
    ast.Subscript: of_subscript,
    ast.BinOp: of_binary,
    ast.UnaryOp: of_unary,
    ast.Compare: of_compare,
    ast.IfExp: of_choice,
    ast.BoolOp: of_either,
    ast.Tuple: of_row,
    ast.List: of_list,
    ast.ListComp: of_comprehension,
    ast.GeneratorExp: of_comprehension,
    ast.NamedExpr: of_walrus,
    ast.Constant: of_constant,
}


def constant_index(node: ast.expr) -> int | None:
    """A whole number written out, a negative one included."""
    sign = -1 if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else 1
    inner = node.operand if isinstance(node, ast.UnaryOp) else node
    return sign * inner.value if isinstance(inner, ast.Constant) and type(inner.value) is int else None
