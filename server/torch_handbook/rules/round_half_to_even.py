"""Halves are rounded, which go to the even neighbour.

Why
    torch.round takes 0.5 to 0, 1.5 to 2 and 2.5 to 2, as Python's round does: halves go to the even number, not up. Where halves
    should go up, `torch.floor(x + 0.5)` does that.

Bad
    stars = torch.tensor([0.5, 1.5, 2.5])
    rounded = torch.round(stars)

Good
    stars = torch.tensor([0.5, 1.5, 2.5])
    rounded = torch.floor(stars + 0.5)
"""

from __future__ import annotations

import ast
import math

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.arguments import constant
from torch_handbook.source.dtypes import WHOLE
from torch_handbook.source.origins import given_by

RULE = Rule("round-half-to-even", Severity.INFORMATION, Category.DTYPE, entry="torch.round")


@RULE.on(ast.Call)
def rounded(call: ast.Call, context: Context) -> Findings:
    name = context.name_of(call.func)
    if name not in ("torch.round", "torch.round_") and not is_method(call, name, context):
        return
    subject = call.func.value if name is None and isinstance(call.func, ast.Attribute) else call.args[0] if call.args else None
    if subject is None or isinstance(subject, ast.Starred) or any(word.arg != "out" for word in call.keywords):
        return
    half = halves(subject, context)
    if half is not None:
        words = (
            f"{context.text_of(subject)} has halves, and round takes them to the even number ({half:g} becomes {half - 0.5:g})"
        )
        yield Finding.at(call, f"{words}: use torch.floor(x + 0.5) for halves up")


def is_method(call: ast.Call, name: str | None, context: Context) -> bool:
    if name is not None or not isinstance(call.func, ast.Attribute) or call.func.attr not in ("round", "round_") or call.args:
        return False
    value = context.value_of(call.func.value)
    return (value is not None and value.kind == "tensor") or bool(context.grids.of(call.func.value))


def halves(node: ast.expr, context: Context) -> float | None:
    """A half that the tensor surely has, or will have, and that is rounded down."""
    for grid in context.grids.of(node):
        for value in grid.values:
            if math.isfinite(value) and value % 1 == 0.5 and math.floor(value) % 2 == 0:
                return float(value)
        return None
    return 0.5 if is_half_of_whole(node, context) else None


def is_half_of_whole(node: ast.expr, context: Context) -> bool:
    """Whether it is whole numbers, divided by two."""
    if isinstance(node, ast.Name):
        bindings = context.file.names.bindings(node)
        value = given_by(bindings[0]) if len(bindings) == 1 and bindings[0].kind == "assign" else None
        return isinstance(value, ast.BinOp) and is_half_of_whole(value, context)
    if not isinstance(node, ast.BinOp):
        return False
    if isinstance(node.op, ast.Div) and constant(context.file, node.right) == 2:
        return context.dtype_of(node.left) in WHOLE
    if isinstance(node.op, ast.Mult):
        numbers = [constant(context.file, side) for side in (node.left, node.right)]
        other = node.left if numbers[1] == 0.5 else node.right
        return 0.5 in numbers and context.dtype_of(other) in WHOLE
    return False
