"""clamp is given values that are NaN.

Why
    NaN is neither below the one bound nor above the other: clamp hands it on, as 0/0 or the logarithm of a negative number
    made it. Keep it from coming up, `hits / tries.clamp(min=1)`, or replace it, `torch.nan_to_num`.

Bad
    hits, tries = torch.tensor([3.0, 0.0]), torch.tensor([4.0, 0.0])
    rate = (hits / tries).clamp(0, 1)

Good
    hits, tries = torch.tensor([3.0, 0.0]), torch.tensor([4.0, 0.0])
    rate = (hits / tries.clamp(min=1)).clamp(0, 1)
"""

from __future__ import annotations

import ast
import math

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity

RULE = Rule("clamp-does-not-remove-nan", Severity.WARNING, Category.DTYPE, entry="torch.clamp")

CLAMPS = frozenset({"clamp", "clip", "clamp_", "clip_", "clamp_min", "clamp_max", "relu", "hardtanh", "maximum", "minimum"})


@RULE.on(ast.Call)
def clamped(call: ast.Call, context: Context) -> Findings:
    name = context.name_of(call.func)
    last = name.rpartition(".")[2] if name else call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if last not in CLAMPS or (name is not None and not name.startswith("torch.")):
        return
    subject = call.func.value if name is None and isinstance(call.func, ast.Attribute) else call.args[0] if call.args else None
    if subject is None or isinstance(subject, ast.Starred):
        return
    if any(math.isnan(value) for grid in context.grids.of(subject) for value in grid.values):
        words = f"{context.text_of(subject)} is NaN in places, and {last} hands NaN on: avoid it before, or use torch.nan_to_num"
        yield Finding.at(call, words)
