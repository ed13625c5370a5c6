"""A mask of whole numbers is given where a bool one is needed.

Why
    masked_fill and masked_select take bool masks alone and raise for uint8 and int64; indexing and torch.where with uint8 still
    work, with a warning, and int64 there means places, not a mask. Masks written as 0 and 1 need .bool(), or a comparison.

Bad
    mask = torch.tensor([1, 0, 1], dtype=torch.uint8)
    x = torch.randn(3).masked_fill(mask, 0.0)

Good
    mask = torch.tensor([1, 0, 1], dtype=torch.uint8)
    x = torch.randn(3).masked_fill(mask.bool(), 0.0)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.einsum import atom
from torch_handbook.source.guards import is_guarded
from torch_handbook.source.text import span_of

RULE = Rule("uint8-mask", Severity.ERROR, Category.DTYPE, entry="guides/masks")

METHODS = frozenset({"masked_fill", "masked_fill_", "masked_select"})


@RULE.on(ast.Call)
def given(call: ast.Call, context: Context) -> Findings:
    name = context.name_of(call.func)
    last = name.removeprefix("torch.") if name else call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if last not in METHODS and name != "torch.where":
        return
    places = call.args[0 if name in (None, "torch.where") else 1 :]
    mask = next((word.value for word in call.keywords if word.arg == "mask"), places[0] if places else None)
    if mask is None or isinstance(mask, ast.Starred) or (name is None and not is_tensor(call.func, context)):
        return
    kind = context.dtype_of(mask)
    if kind in (None, "bool") or is_difference(mask, context) or is_guarded(context.file, call):
        return
    if name == "torch.where":
        if len(call.args) != 3:
            return
        what = "warns" if kind == "uint8" else "raises"
        severity = Severity.WARNING if kind == "uint8" else None
        yield found(mask, kind or "", f"where {what}", severity, context)
    else:
        yield found(mask, kind or "", f"{last} raises", None, context)


@RULE.on(ast.Subscript)
def indexed(node: ast.Subscript, context: Context) -> Findings:
    if isinstance(node.slice, (ast.Constant, ast.Slice, ast.Tuple)) or context.dtype_of(node.slice) != "uint8":
        return
    if is_tensor_value(node.value, context):
        yield found(node.slice, "uint8", "indexing with it is deprecated", Severity.WARNING, context)


def found(mask: ast.expr, kind: str, what: str, severity: Severity | None, context: Context) -> Finding:
    shown = context.text_of(mask)
    text = f"{atom(shown)}.bool()"
    fix = Fix(f"use {text}", (Edit(span_of(mask), text),)) if kind in ("uint8", "int64", "int32") else None
    return Finding.at(mask, f"{shown} is {kind}, and a mask must be bool: {what}, use {text}", fix=fix, severity=severity)


def is_difference(mask: ast.expr, context: Context) -> bool:
    """Whether it is a difference of bool masks, which raises before."""
    if not isinstance(mask, ast.BinOp) or not isinstance(mask.op, ast.Sub):
        return False
    return "bool" in (context.dtype_of(mask.left), context.dtype_of(mask.right))


def is_tensor(function: ast.expr, context: Context) -> bool:
    return isinstance(function, ast.Attribute) and is_tensor_value(function.value, context)


def is_tensor_value(node: ast.expr, context: Context) -> bool:
    value = context.value_of(node)
    return (value is not None and value.kind == "tensor") or context.facts.tensor(node) is not None
