"""The standard deviation of a single value is NaN.

Why
    std and var divide by n - 1 unless they are told otherwise, and 0 / 0 is NaN: a batch of one, or an axis of size 1, turns what
    is normalised by it into NaN. `correction=0` divides by n and gives 0.

Bad
    x = torch.randn(1, 8)
    normed = (x - x.mean(0)) / (x.std(0) + 1e-5)

Good
    x = torch.randn(1, 8)
    normed = (x - x.mean(0)) / (x.std(0, correction=0) + 1e-5)
"""

from __future__ import annotations

import ast
import math

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.arguments import constant

RULE = Rule("std-single-sample-nan", Severity.WARNING, Category.DTYPE, entry="torch.std")

FUNCTIONS = frozenset({"std", "var", "std_mean", "var_mean"})


@RULE.on(ast.Call)
def of_one(call: ast.Call, context: Context) -> Findings:
    name = context.name_of(call.func)
    last = name.removeprefix("torch.") if name else call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if last not in FUNCTIONS or any(word.arg in ("correction", "unbiased", None) for word in call.keywords):
        return
    subject = call.args[0] if name and call.args else call.func.value if isinstance(call.func, ast.Attribute) else None
    places = call.args[1:] if name else call.args
    if subject is None or isinstance(subject, ast.Starred) or len(places) > 1:
        return
    axis = next((word.value for word in call.keywords if word.arg in ("dim", "axis")), places[0] if places else None)
    shape = context.shape_of(subject)
    if shape is None or (isinstance(axis, ast.Constant) and isinstance(axis.value, bool)):
        return
    if values_along(shape, axis, context) == 1:
        along = "" if axis is None else f" along axis {context.text_of(axis)}"
        words = f"{context.text_of(subject)} has one value{along}, of which {last} is NaN: use correction=0, or leave it out"
        yield Finding.at(call, words)


def values_along(shape: tuple[int | str, ...], axis: ast.expr | None, context: Context) -> int:
    """How many values go into one result; 0 where that is not known."""
    if axis is None:
        picked = list(shape)
    else:
        axes = axis.elts if isinstance(axis, (ast.Tuple, ast.List)) else [axis]
        places = [constant(context.file, item) for item in axes]
        known = [place for place in places if type(place) is int and -len(shape) <= place < len(shape)]
        if len(known) != len(places):
            return 0
        picked = [shape[place] for place in known]
    sizes = [size for size in picked if isinstance(size, int)]
    return math.prod(sizes) if len(sizes) == len(picked) else 0
