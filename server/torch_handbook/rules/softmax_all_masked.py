"""A softmax is taken over a row in which every score is masked.

Why
    With -inf everywhere the softmax is 0 / 0: the whole row is NaN, and through the loss soon every weight. A sample that is all
    padding does that. Fill with a finite value, `torch.finfo(scores.dtype).min`, or set such rows to 0 afterwards.

Bad
    pad = torch.tensor([[False, True], [True, True]])
    weights = torch.randn(2, 2).masked_fill(pad, float("-inf")).softmax(-1)

Good
    pad = torch.tensor([[False, True], [True, True]])
    weights = torch.randn(2, 2).masked_fill(pad, torch.finfo(torch.float32).min).softmax(-1)
"""

from __future__ import annotations

import ast
import math

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.arguments import constant
from torch_handbook.source.grids import Grid, not_finite
from torch_handbook.source.origins import given_by
from torch_handbook.source.text import span_of

RULE = Rule("softmax-all-masked", Severity.WARNING, Category.DTYPE, entry="guides/masks")

SOFTMAX = frozenset({"torch.softmax", "torch.nn.functional.softmax", "torch.log_softmax", "torch.nn.functional.log_softmax"})
ATTENTION = frozenset({"torch.nn.MultiheadAttention"})
DEPTH = 6


@RULE.on(ast.Call)
def over_nothing(call: ast.Call, context: Context) -> Findings:
    name = context.name_of(call.func)
    if name is None and isinstance(call.func, ast.Attribute) and call.func.attr in ("softmax", "log_softmax"):
        scores, places = call.func.value, call.args
    elif name in SOFTMAX and call.args:
        scores, places = call.args[0], call.args[1:]
    else:
        yield from attended(call, context)
        return
    axis = next((word.value for word in call.keywords if word.arg == "dim"), places[0] if places else None)
    filled = masked(scores, context, DEPTH)
    if filled is None or axis is None:
        return
    mask = mask_of(filled)
    place = constant(context.file, axis)
    if mask is not None and isinstance(place, int) and any(hides_row(grid, place) for grid in context.grids.of(mask)):
        words = f"{context.text_of(mask)} masks all of a row with -inf, and its softmax is NaN: fill with a finite value"
        yield Finding.at(filled, words, related=(Related(span_of(call), "the softmax is taken here"),))


def attended(call: ast.Call, context: Context) -> Findings:
    """A key padding mask that leaves a sample without any key."""
    masks = [word.value for word in call.keywords if word.arg == "key_padding_mask"]
    value = context.value_of(call.func) if masks else None
    weighing = [word.value for word in call.keywords if word.arg == "need_weights"]
    if value is None or value.name not in ATTENTION or any(not is_true(one) for one in weighing):
        return  # without weights it gives zeros there
    if any(hides_row(grid, -1) for grid in context.grids.of(masks[0])):
        words = f"{context.text_of(masks[0])} masks all keys of a sample, whose output is NaN: leave it out, or unmask one key"
        yield Finding.at(masks[0], words)


def is_true(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


def masked(node: ast.expr, context: Context, depth: int) -> ast.Call | None:
    """The call that put -inf where a mask is true, looked for behind names and scaling."""
    if depth == 0:
        return None
    if isinstance(node, ast.Name):
        bindings = context.file.names.bindings(node)
        value = given_by(bindings[0]) if len(bindings) == 1 and bindings[0].kind == "assign" else None
        return masked(value, context, depth - 1) if value is not None else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div)):
        return masked(node.left, context, depth - 1)
    if not isinstance(node, ast.Call):
        return None
    name = context.name_of(node.func)
    if name == "torch.where" and len(node.args) == 3:
        return node if is_minus_infinity(node.args[1], context) else None
    last = name.removeprefix("torch.") if name else node.func.attr if isinstance(node.func, ast.Attribute) else ""
    if last in ("masked_fill", "masked_fill_"):
        values = [*node.args[2 if name else 1 :], *(word.value for word in node.keywords if word.arg == "value")]
        return node if values and is_minus_infinity(values[0], context) else None
    if last in ("float", "to", "contiguous") and name is None and isinstance(node.func, ast.Attribute):
        return masked(node.func.value, context, depth - 1)
    return None


def mask_of(call: ast.Call) -> ast.expr | None:
    keyword = next((word.value for word in call.keywords if word.arg == "mask"), None)
    if keyword is not None:
        return keyword
    method = isinstance(call.func, ast.Attribute) and call.func.attr in ("masked_fill", "masked_fill_")
    return call.args[1 if method and len(call.args) == 3 else 0] if call.args else None


def is_minus_infinity(node: ast.expr, context: Context) -> bool:
    value = not_finite(context.file, node)
    if isinstance(node, ast.Name) and value is None:
        bindings = context.file.names.bindings(node)
        given = given_by(bindings[0]) if len(bindings) == 1 else None
        value = not_finite(context.file, given) if given is not None else None
    return value == -math.inf


def hides_row(grid: Grid, axis: int) -> bool:
    """Whether some row along the last axis is all true. Other axes are not looked at."""
    last = axis == -1 or axis == len(grid.shape) - 1
    return last and len(grid.shape) > 0 and any(row and all(row) for row in grid.rows())
