"""A fraction is written into a tensor of whole numbers.

Why
    What is assigned takes the dtype of the tensor that it goes into: 0.7 becomes 0 in an int64 tensor, without a word. A list of
    zeros, arange and zeros_like of labels make such tensors; give them dtype=torch.float32.

Bad
    share = torch.tensor([0] * 3)
    share[0] = 0.7

Good
    share = torch.tensor([0.0] * 3)
    share[0] = 0.7
"""

from __future__ import annotations

import ast
import math

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.arguments import UNKNOWN, constant
from torch_handbook.source.dtypes import FLOATS, WHOLE

RULE = Rule("int-tensor-float-assignment", Severity.WARNING, Category.DTYPE, entry="guides/dtypes")

# Where the value stands among the arguments of the method.
METHODS = {
    "fill_": 0,
    "copy_": 0,
    "masked_fill": 1,
    "masked_fill_": 1,
    "index_fill_": 2,
    "index_fill": 2,
    "scatter": 2,
    "scatter_": 2,
}
FUNCTIONS = {"torch.full_like": 1}
REDUCED = frozenset({"item", "mean", "std", "var"})


@RULE.on(ast.Assign)
def assigned(statement: ast.Assign, context: Context) -> Findings:
    for target in statement.targets:
        if isinstance(target, ast.Subscript) and context.dtype_of(target.value) in WHOLE:
            yield from truncated(target.value, statement.value, context)


@RULE.on(ast.Call)
def written(call: ast.Call, context: Context) -> Findings:
    name = context.name_of(call.func)
    if name is None and isinstance(call.func, ast.Attribute) and call.func.attr in METHODS:
        tensor, place = call.func.value, METHODS[call.func.attr]
    elif name in FUNCTIONS and call.args and not any(word.arg == "dtype" for word in call.keywords):
        tensor, place = call.args[0], FUNCTIONS[name]
    else:
        return
    values = [word.value for word in call.keywords if word.arg in ("value", "fill_value")] or call.args[place : place + 1]
    if values and context.dtype_of(tensor) in WHOLE:
        yield from truncated(tensor, values[0], context)


def truncated(tensor: ast.expr, value: ast.expr, context: Context) -> Findings:
    shown = fraction(value, context)
    if shown is not None:
        kind = context.dtype_of(tensor)
        words = f"{context.text_of(tensor)} is {kind}, so {shown} loses its fraction: make it with dtype=torch.float32"
        yield Finding.at(value, words)


def fraction(node: ast.expr, context: Context) -> str | None:
    """The text of a value that surely is, or may well be, no whole number."""
    number = constant(context.file, node)
    if number is not UNKNOWN:
        return context.text_of(node) if has_fraction(number) else None
    if is_whole(node):
        return None
    if context.dtype_of(node) in FLOATS or is_quotient(node, context) or is_float_item(node, context):
        return context.text_of(node)
    return None


def has_fraction(number: object) -> bool:
    return isinstance(number, float) and math.isfinite(number) and not number.is_integer()


def is_whole(node: ast.expr) -> bool:
    """Whether it was rounded, or counts: then nothing is lost."""
    last = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
    return last in ("round", "floor", "ceil", "trunc", "sum", "zeros", "ones", "zeros_like", "ones_like", "argmax", "full")


def is_quotient(node: ast.expr, context: Context) -> bool:
    """Whether it is a quotient of plain numbers, or scaled by a fraction."""
    if not isinstance(node, ast.BinOp):
        return False
    if isinstance(node.op, ast.Div):
        return True
    value = context.value_of(node)
    sides = [constant(context.file, side) for side in (node.left, node.right)]
    scaled = any(map(has_fraction, sides))
    return isinstance(node.op, (ast.Mult, ast.Add, ast.Sub)) and scaled and (value is None or value.kind != "tensor")


def is_float_item(node: ast.expr, context: Context) -> bool:
    """`loss.item()` of a tensor of floats."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "item":
        return False
    return not is_whole(node.func.value) and context.dtype_of(node.func.value) in FLOATS
