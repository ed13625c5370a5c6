"""A mask of truth values is subtracted or negated.

Why
    Comparisons give bool tensors, and `-` is not defined for them: torch raises. `~mask` inverts one, `a ^ b` and `a & ~b` are
    the differences of two; or convert, `1 - mask.float()`.

Bad
    keep = torch.randn(4) > 0
    drop = 1 - keep

Good
    keep = torch.randn(4) > 0
    drop = ~keep
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.einsum import atom
from torch_handbook.source.guards import is_guarded
from torch_handbook.source.text import span_of

RULE = Rule("bool-mask-arithmetic", Severity.ERROR, Category.DTYPE, entry="guides/masks")

FUNCTIONS = frozenset({"torch.sub", "torch.subtract", "torch.rsub"})


@RULE.on(ast.BinOp)
def subtracted(node: ast.BinOp, context: Context) -> Findings:
    if not isinstance(node.op, ast.Sub) or is_guarded(context.file, node):
        return
    left, right = context.dtype_of(node.left) == "bool", context.dtype_of(node.right) == "bool"
    if left and right:
        a, b = context.text_of(node.left), context.text_of(node.right)
        yield Finding.at(node, f"{a} and {b} are bool, for which - raises: use a ^ b, or a & ~b")
    elif right and isinstance(node.left, ast.Constant) and node.left.value == 1:
        mask = " ".join(context.file.text.slice(span_of(node.right)).split())
        fix = Fix(f"use ~{atom(mask)}", (Edit(span_of(node), f"~{atom(mask)}"),)) if is_simple(node.right) else None
        yield Finding.at(node, f"{mask} is bool, for which - raises: use ~{atom(mask)}", fix=fix)
    elif left or right:
        mask = context.text_of(node.left if left else node.right)
        other = node.right if left else node.left
        if isinstance(other, ast.Constant) or context.dtype_of(other) is not None:
            yield Finding.at(node, f"{mask} is bool, for which - raises: convert it, {atom(mask)}.float() or .int()")


@RULE.on(ast.UnaryOp)
def negated(node: ast.UnaryOp, context: Context) -> Findings:
    if isinstance(node.op, ast.USub) and context.dtype_of(node.operand) == "bool" and not is_guarded(context.file, node):
        mask = context.text_of(node.operand)
        yield Finding.at(node, f"{mask} is bool, for which - raises: use ~{atom(mask)} to invert it")


@RULE.on(ast.Call)
def called(call: ast.Call, context: Context) -> Findings:
    name = context.name_of(call.func)
    method = call.func if name is None and isinstance(call.func, ast.Attribute) and call.func.attr in ("sub", "neg") else None
    sides = [method.value, *call.args] if method is not None else list(call.args) if name in FUNCTIONS else []
    masks = [side for side in sides[:2] if not isinstance(side, ast.Starred) and context.dtype_of(side) == "bool"]
    if masks and not is_guarded(context.file, call):
        yield Finding.at(call, f"{context.text_of(masks[0])} is bool, for which - raises: use ~ to invert it, or convert it")


def is_simple(node: ast.expr) -> bool:
    """Whether ~ in front of it means the same wherever the difference stood."""
    return isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Compare))
