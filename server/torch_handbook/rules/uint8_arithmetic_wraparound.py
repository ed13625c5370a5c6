"""Two uint8 tensors are subtracted.

Why
    uint8 holds 0 to 255 and wraps: 10 - 12 is 254, and abs() cannot mend that. Convert to int or float before the difference
    of images.

Bad
    before = torch.full((4, 4), 12, dtype=torch.uint8)
    after = torch.full((4, 4), 10, dtype=torch.uint8)
    motion = (after - before).abs().max()

Good
    before = torch.full((4, 4), 12, dtype=torch.uint8)
    after = torch.full((4, 4), 10, dtype=torch.uint8)
    motion = (after.int() - before.int()).abs().max()
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.arguments import UNKNOWN, constant

RULE = Rule("uint8-arithmetic-wraparound", Severity.WARNING, Category.DTYPE, entry="guides/dtypes")


@RULE.on(ast.BinOp)
def operator(node: ast.BinOp, context: Context) -> Findings:
    if isinstance(node.op, ast.Sub) and wraps(node.left, node.right, context):
        yield found(node, node.left, context)


@RULE.on(ast.AugAssign)
def in_place(statement: ast.AugAssign, context: Context) -> Findings:
    if isinstance(statement.op, ast.Sub) and isinstance(statement.target, ast.Name):
        before = ast.copy_location(ast.Name(statement.target.id, ast.Load()), statement.target)
        context.file.grown.graft(before, statement)
        if wraps(before, statement.value, context):
            yield found(statement, statement.target, context)


@RULE.on(ast.Call)
def called(call: ast.Call, context: Context) -> Findings:
    name = context.name_of(call.func)
    if name in ("torch.sub", "torch.subtract") and len(call.args) == 2:
        sides = call.args
    elif name == "torch.diff" and call.args and context.dtype_of(call.args[0]) == "uint8":
        yield found(call, call.args[0], context)
        return
    elif name is None and isinstance(call.func, ast.Attribute) and call.func.attr in ("sub", "sub_", "diff"):
        sides = [call.func.value, *call.args]
        if call.func.attr == "diff" and context.dtype_of(call.func.value) == "uint8":
            yield found(call, call.func.value, context)
            return
    else:
        return
    if len(sides) == 2 and wraps(sides[0], sides[1], context):
        yield found(call, sides[0], context)


def found(node: ast.AST, left: ast.expr, context: Context) -> Finding:
    shown = context.text_of(left)
    words = f"{shown} is uint8, so a difference below 0 wraps to 255 and down: convert first, {shown}.int() or .float()"
    return Finding.at(node, words)


def wraps(left: ast.expr, right: ast.expr, context: Context) -> bool:
    """Whether a difference surely is computed in uint8, and may be below 0."""
    if context.dtype_of(left) != "uint8":
        return False
    number = constant(context.file, right)
    if number is not UNKNOWN:
        return type(number) is int and number > 1  # a shift by one is how labels are renumbered
    return context.dtype_of(right) == "uint8" and not is_smallest(right) and not is_largest(left)


def is_smallest(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("min", "amin")


def is_largest(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("max", "amax")
