"""Something is compared with NaN, which equals nothing.

Why
    x == nan is False everywhere, where x is NaN, too, and x != nan is True everywhere. A check for NaN that is written so never
    finds one.

Bad
    loss = torch.tensor([1.0, float("nan")])
    print((loss == float("nan")).any())

Good
    loss = torch.tensor([1.0, float("nan")])
    print(torch.isnan(loss).any())
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.text import span_of

RULE = Rule("comparison-with-nan", Severity.ERROR, Category.DTYPE, entry="torch.eq")
NAMES = ("torch.nan", "math.nan", "numpy.nan", "numpy.NaN", "numpy.NAN")


@RULE.on(ast.Compare)
def compared(node: ast.Compare, context: Context) -> Findings:
    if len(node.ops) != 1 or not isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
        return
    sides = (node.left, node.comparators[0])
    other = next((sides[1 - place] for place, side in enumerate(sides) if is_nan(side, context)), None)
    value = context.value_of(other)
    if other is None or value is None or value.kind != "tensor":
        return
    always = "False" if isinstance(node.ops[0], ast.Eq) else "True"
    yield Finding.at(
        node,
        f"{context.text_of(node)} is {always} everywhere, for NaN equals nothing: use torch.isnan",
        fix=asked(node, other, context),
    )


@RULE.on(ast.Call)
def function(call: ast.Call, context: Context) -> Findings:
    """`torch.eq(x, nan)`, `x.eq(nan)`."""
    name = context.name_of(call.func) or ""
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    owner = context.value_of(call.func.value) if isinstance(call.func, ast.Attribute) else None
    own = method in ("eq", "ne") and owner is not None and owner.kind == "tensor"
    if (own or name in ("torch.eq", "torch.ne")) and call.args and is_nan(call.args[-1], context):
        words = f"{context.text_of(call)} is {'False' if method == 'eq' else 'True'} everywhere, for NaN equals nothing"
        yield Finding.at(call, f"{words}: use torch.isnan")


def is_nan(node: ast.expr, context: Context) -> bool:
    """`float("nan")`, `math.nan`, or a name that was given it."""
    found = context.assigned(node)
    if isinstance(found, ast.Call) and isinstance(found.func, ast.Name) and found.func.id == "float" and len(found.args) == 1:
        text = found.args[0]
        return isinstance(text, ast.Constant) and isinstance(text.value, str) and text.value.strip("+- ").lower() == "nan"
    return context.name_of(found) in NAMES if found is not None else False


def asked(node: ast.Compare, other: ast.expr, context: Context) -> Fix | None:
    spelt = context.spell("torch.isnan", node)
    if spelt is None:
        return None
    turned = "~" if isinstance(node.ops[0], ast.NotEq) else ""
    return Fix(f"use {spelt}", (Edit(span_of(node), f"{turned}{spelt}({context.text_of(other)})"),))
