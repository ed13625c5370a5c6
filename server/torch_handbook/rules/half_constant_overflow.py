"""A number is put into a float16 tensor that float16 cannot hold.

Why
    float16 ends at 65504. masked_fill, fill_, full and clamp refuse a larger number with "value cannot be converted to type
    c10::Half without overflow"; an assignment or torch.where stores infinity. Take `torch.finfo(x.dtype).min`.

Bad
    scores = torch.randn(4, 4).half()
    scores = scores.masked_fill(scores > 0, -1e9)

Good
    scores = torch.randn(4, 4).half()
    scores = scores.masked_fill(scores > 0, torch.finfo(scores.dtype).min)
"""

from __future__ import annotations

import ast
import math

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.arguments import constant

RULE = Rule("half-constant-overflow", Severity.ERROR, Category.DTYPE, entry="guides/dtypes")

LARGEST = 65504.0
# Where the number stands among the arguments of the method, and what it is called.
METHODS: dict[str, tuple[int, tuple[str, ...]]] = {
    "masked_fill": (1, ("value",)),
    "masked_fill_": (1, ("value",)),
    "fill_": (0, ("value",)),
    "new_full": (1, ("fill_value",)),
    "index_fill_": (2, ("value",)),
    "index_fill": (2, ("value",)),
    "clamp": (0, ("min", "max")),
    "clamp_": (0, ("min", "max")),
    "clamp_min": (0, ("min",)),
}
FUNCTIONS = {
    "torch.masked_fill": "masked_fill",
    "torch.full_like": "full_like",
    "torch.clamp": "clamp",
    "torch.nn.functional.pad": "pad",
    "torch.full": "full",
}
NUMBERS = {"full_like": (0, ("fill_value",)), "pad": (2, ("value",)), "full": (0, ("fill_value",)), **METHODS}
RANGES = {"float32": 3.4028234663852886e38, "bfloat16": 3.3895313892515355e38, "float64": 1.7976931348623157e308}


@RULE.on(ast.Call)
def given(call: ast.Call, context: Context) -> Findings:
    name = context.name_of(call.func)
    if name is not None:
        last, tensor, places = FUNCTIONS.get(name, ""), call.args[0] if call.args else None, call.args[1:]
        kind = context.dtype_of(call) if last == "full" else context.dtype_of(tensor) if last and tensor is not None else None
    else:
        last = call.func.attr if isinstance(call.func, ast.Attribute) and call.func.attr in METHODS else ""
        tensor, places = (call.func.value if isinstance(call.func, ast.Attribute) else None), call.args
        kind = context.dtype_of(tensor) if last and tensor is not None else None
    if kind != "float16":
        return
    index, words = NUMBERS[last]
    numbers = [*places[index : index + len(words)], *(word.value for word in call.keywords if word.arg in words)]
    for number in numbers:
        if (size := too_large(number, context)) is not None:
            yield found(number, size, f"{last} raises", tensor if last != "full" else None, context)


@RULE.on(ast.Assign)
def assigned(statement: ast.Assign, context: Context) -> Findings:
    target = statement.targets[0]
    size = too_large(statement.value, context) if isinstance(target, ast.Subscript) else None
    if isinstance(target, ast.Subscript) and size is not None and context.dtype_of(target.value) == "float16":
        yield found(statement.value, size, "it becomes infinite, or raises in older versions", target.value, context)


def found(number: ast.expr, size: float, what: str, tensor: ast.expr | None, context: Context) -> Finding:
    shown = context.text_of(tensor) if isinstance(tensor, (ast.Name, ast.Attribute)) else "the tensor"
    words = f"{context.text_of(number)} is beyond float16, which ends at 65504, and {shown} is float16: {what}"
    better = f"torch.finfo({shown if shown != 'the tensor' else 'x'}.dtype).{'min' if size < 0 else 'max'}"
    return Finding.at(number, f"{words}; use {better}")


def too_large(node: ast.expr, context: Context) -> float | None:
    """The number that an expression is, where it is finite and beyond float16."""
    sign = -1 if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else 1
    inner = node.operand if isinstance(node, ast.UnaryOp) else node
    number = constant(context.file, inner)
    if isinstance(inner, ast.Attribute) and inner.attr in ("min", "max") and isinstance(inner.value, ast.Call):
        number = limit(inner.value, inner.attr, context)
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not math.isfinite(number):
        return None
    return sign * number if abs(number) > LARGEST else None


def limit(call: ast.Call, side: str, context: Context) -> float | None:
    """`torch.finfo(torch.float32).min`"""
    if context.name_of(call.func) != "torch.finfo" or len(call.args) != 1:
        return None
    largest = RANGES.get(context.dtypes.named(call.args[0]) or "")
    return None if largest is None else -largest if side == "min" else largest
