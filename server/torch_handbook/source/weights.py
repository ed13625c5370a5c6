"""The dtype of a network's weights: that of its constructor, or of the last conversion before a call."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torch_handbook.source.numpy_dtypes import dtype_word
from torch_handbook.source.origins import given_by
from torch_handbook.source.torch_names import words
from torch_handbook.source.value import Value

if TYPE_CHECKING:
    from torch_handbook.source.file import File

CASTS = {"half": "float16", "float": "float32", "double": "float64", "bfloat16": "bfloat16"}
# Layers whose input must be of the dtype of their weights.
STRICT = words(
    "Linear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d LSTM GRU RNN LSTMCell GRUCell RNNCell Bilinear"
    " MultiheadAttention TransformerEncoderLayer TransformerEncoder"
)
CHAINED = words("to cuda cpu eval train requires_grad_ half float double bfloat16")
DEPTH = 6


@dataclass(frozen=True)
class Weights:
    """What the weights are made of, and the conversion that made them so."""

    dtype: str
    since: ast.expr | None


def weights_of(file: File, node: ast.expr) -> Weights | None:
    """What the weights of a network are where it is called; None where that is not certain, or its input may be anything."""
    if isinstance(node, ast.Call):
        return made_of(file, node, DEPTH)
    if not isinstance(node, ast.Name) or any(word in file.text.content for word in ("set_default_dtype", "register_forward_pre")):
        return None
    bindings = file.names.bindings(node)
    value = given_by(bindings[0]) if len(bindings) == 1 and bindings[0].kind == "assign" else None
    if value is None or bindings[0].foreign:
        return None
    made = made_of(file, value, DEPTH)
    return converted(file, node, made) if made is not None else None


def made_of(file: File, node: ast.expr, depth: int) -> Weights | None:
    """The weights of a network where it is made: `nn.Linear(3, 4).half()`."""
    if not isinstance(node, ast.Call) or depth == 0:
        return None
    if isinstance(node.func, ast.Attribute) and node.func.attr in CHAINED and file.name_of(node.func) is None:
        inner = made_of(file, node.func.value, depth - 1)
        if inner is None or node.func.attr in ("train", "eval", "requires_grad_", "cuda", "cpu"):
            return inner
        return after(file, node, inner)
    if any(word.arg in ("dtype", None) for word in node.keywords):
        return None
    value = file.value_of(node)
    return Weights("float32", None) if value is not None and value.sure and is_strict(file, value, node) else None


def is_strict(file: File, value: Value, call: ast.Call) -> bool:
    """Whether the first thing that happens to its input is a layer that wants the dtype of its weights."""
    if isinstance(value.node, ast.ClassDef):
        return is_strict_class(file, value.node)
    owner, _, last = value.name.rpartition(".")
    if owner != "torch.nn":
        return False
    if last != "Sequential":
        return last in STRICT
    first = call.args[0] if call.args else None
    inner = file.value_of(first) if isinstance(first, ast.Call) else None
    while isinstance(first, ast.Call) and inner is not None and inner.name in ("torch.nn.Flatten", "torch.nn.Identity"):
        index = call.args.index(first) + 1
        first = call.args[index] if index < len(call.args) else None
        inner = file.value_of(first) if isinstance(first, ast.Call) else None
    return isinstance(first, ast.Call) and inner is not None and inner.sure and is_strict(file, inner, first)


def is_strict_class(file: File, owner: ast.ClassDef) -> bool:
    """Whether the class hands its input to such a layer as it is, and converts nothing anywhere."""
    for part in ast.walk(owner):
        if isinstance(part, ast.Attribute) and (part.attr in CASTS or part.attr in ("to", "type", "type_as", "dtype")):
            return False
        if isinstance(part, ast.keyword) and part.arg == "dtype":
            return False
    found = file.flow.classes.lookup(owner, "forward")
    function = found[0].node if len(found) == 1 else None
    if not isinstance(function, ast.FunctionDef) or len(function.args.args) < 2:
        return False
    name = function.args.args[1].arg
    uses = [use for use in ast.walk(function) if isinstance(use, ast.Name) and use.id == name and isinstance(use.ctx, ast.Load)]
    first = min(uses, key=lambda use: (use.lineno, use.col_offset), default=None)
    call = file.parent_of(first) if first is not None else None
    if not isinstance(call, ast.Call) or first not in call.args:
        return False
    layer = file.value_of(call.func)
    if layer is None or layer.kind != "instance" or not layer.sure:
        return False
    if layer.name == "torch.nn.Sequential":
        head = layer.items[0] if layer.items else None
        return head is not None and head.name.rpartition(".")[2] in STRICT and head.name.startswith("torch.nn.")
    return layer.name.startswith("torch.nn.") and layer.name.rpartition(".")[2] in STRICT


def converted(file: File, node: ast.Name, made: Weights) -> Weights | None:
    """The weights at a use, after the conversions that stand as statements between the two; None where one may or may not run."""
    home = file.scope_of(node)
    scope = home.find(node.id)
    if scope is None:
        return None
    calls = [call for use in uses_of(scope.node, node.id) if (call := conversion(file, use)) is not None]
    if not calls:
        return made
    before = [call for call in calls if (call.lineno, call.col_offset) < (node.lineno, node.col_offset)]
    plain = all(file.scope_of(call) is home is scope and is_plain(file, call) for call in calls)
    if not plain or (len(before) < len(calls) and file.enclosing(node, ast.For, ast.While) is not None):
        return None
    result: Weights | None = made
    for call in before:
        result = after(file, call, result) if result is not None else None
    return result


def uses_of(root: ast.AST, name: str) -> list[ast.Name]:
    found = [part for part in ast.walk(root) if isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Load)]
    return sorted(found, key=lambda use: (use.lineno, use.col_offset))


def conversion(file: File, use: ast.Name) -> ast.Call | None:
    """`net.half()`, `net.to(…)`"""
    member = file.parent_of(use)
    call = file.parent_of(member) if isinstance(member, ast.Attribute) and member.attr in (*CASTS, "to", "type") else None
    return call if isinstance(call, ast.Call) and call.func is member else None


def is_plain(file: File, call: ast.Call) -> bool:
    """Whether a call is a statement of its own that runs whenever its scope does."""
    statement = file.parent_of(call)
    while isinstance(statement, (ast.Attribute, ast.Call)):
        statement = file.parent_of(statement)
    block = file.parent_of(statement) if isinstance(statement, ast.Expr) else None
    return isinstance(block, (ast.Module, ast.FunctionDef))


def after(file: File, call: ast.Call, before: Weights) -> Weights | None:
    """The weights after one conversion."""
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if method in CASTS:
        return Weights(CASTS[method], call)
    given = [*call.args, *(word.value for word in call.keywords if word.arg in ("dtype", "device"))]
    if any(word.arg is None for word in call.keywords):
        return None
    for node in given:
        name = file.name_of(node)
        kind = dtype_word(name) if name is not None and name.startswith("torch.") else None
        if kind is not None:
            return Weights(kind, call) if kind in CASTS.values() else None
    return before if all(is_device(file, node) for node in given) else None


def is_device(file: File, node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (str, int))
    value = file.value_of(node)
    named = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return "device" in named or (value is not None and value.base == "torch.device")
