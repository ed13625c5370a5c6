"""The median of an even number of values is the lower of the two in the middle.

Why
    NumPy and statistics take the mean of both; torch.median gives one that is there, the lower one, so the median of [1, 2, 3,
    10] is 2 and not 2.5. `torch.quantile(x, 0.5)` interpolates.

Bad
    middle = torch.median(torch.tensor([1.0, 2.0, 3.0, 10.0]))

Good
    middle = torch.quantile(torch.tensor([1.0, 2.0, 3.0, 10.0]), 0.5)
"""

from __future__ import annotations

import ast
import math

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.arguments import constant

RULE = Rule("median-lower-value", Severity.INFORMATION, Category.DTYPE, entry="torch.median")


@RULE.on(ast.Call)
def lower(call: ast.Call, context: Context) -> Findings:
    name = context.name_of(call.func)
    last = name.removeprefix("torch.") if name else call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if last not in ("median", "nanmedian"):
        return
    places = call.args[1:] if name else call.args
    subject = call.args[0] if name and call.args else call.func.value if isinstance(call.func, ast.Attribute) else None
    if subject is None or isinstance(subject, ast.Starred) or any(isinstance(item, ast.Starred) for item in places):
        return
    axis = next((word.value for word in call.keywords if word.arg == "dim"), places[0] if places else None)
    values = written(subject, context) if axis is None else None
    count = len(values) if values else counted(subject, axis, context)
    if not count or count % 2:
        return
    words = f"of {count} values {last} gives the lower of the two in the middle"
    if values is not None:
        low, high = values[count // 2 - 1], values[count // 2]
        if low == high:
            return
        words += f", {low:g} and not {(low + high) / 2:g}"
    severity = None if values is not None else Severity.HINT
    yield Finding.at(call, f"{words}: use torch.quantile(x, 0.5) for their mean", severity=severity)


def written(subject: ast.expr, context: Context) -> list[float] | None:
    """The values in their order, where the file writes them out."""
    grids = context.grids.of(subject)
    values = [float(value) for grid in grids for value in grid.values]
    return sorted(values) if len(grids) == 1 and values and all(map(math.isfinite, values)) else None


def counted(subject: ast.expr, axis: ast.expr | None, context: Context) -> int:
    """How many values the median is taken of; 0 where that is not known."""
    shape = context.shape_of(subject)
    if shape is None or not shape:
        return 0
    if axis is None:
        return math.prod(size for size in shape if isinstance(size, int)) if all(isinstance(s, int) for s in shape) else 0
    place = constant(context.file, axis)
    size = shape[place] if isinstance(place, int) and -len(shape) <= place < len(shape) else 0
    return size if isinstance(size, int) else 0
