"""A second sort is to keep the order of a first one, and does not.

Why
    argsort and sort put equal elements in any order. What was sorted by another key before is shuffled among ties; stable=True
    keeps it.

Bad
    day, hour = torch.tensor([2, 1, 2, 1]), torch.tensor([3, 9, 1, 4])
    by_hour = torch.argsort(hour)
    order = by_hour[torch.argsort(day[by_hour])]

Good
    day, hour = torch.tensor([2, 1, 2, 1]), torch.tensor([3, 9, 1, 4])
    by_hour = torch.argsort(hour)
    order = by_hour[torch.argsort(day[by_hour], stable=True)]
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Related, Rule, Severity
from torch_handbook.source.origins import given_by
from torch_handbook.source.text import Span, span_of

RULE = Rule("argsort-unstable", Severity.WARNING, Category.SHAPE, entry="torch.argsort")

SORTS = frozenset({"argsort", "sort"})
PICKS = frozenset({"gather", "index_select", "take", "take_along_dim"})


@RULE.on(ast.Call)
def second(call: ast.Call, context: Context) -> Findings:
    keys = sorted_by(call, context)
    if keys is None or any(word.arg in ("stable", None) for word in call.keywords):
        return
    first = order_in(keys, context)
    if first is None:
        return
    words = f"equal elements come in any order, so the order by {context.text_of(first)} is lost: give stable=True"
    yield Finding.at(
        call, words, fix=kept(call, context), related=(Related(span_of(first), "the order that is to be kept is made here"),)
    )


def kept(call: ast.Call, context: Context) -> Fix | None:
    """Ask for a stable sort; torch takes that only where dim is no positional argument."""
    keys = 1 if context.name_of(call.func) is not None else 0
    if len(call.args) > keys:
        return None
    parts = [*call.args, *call.keywords]
    end = span_of(parts[-1]).end if parts else (span_of(call).end[0], span_of(call).end[1] - 1)
    title = "keep the order of equal elements, stable=True"
    return Fix(title, (Edit(Span(*end, *end), ", stable=True" if parts else "stable=True"),))


def sorted_by(call: ast.Call, context: Context) -> ast.expr | None:
    """What a sort sorts by."""
    name = context.name_of(call.func)
    if name in ("torch.argsort", "torch.sort"):
        return call.args[0] if call.args and not isinstance(call.args[0], ast.Starred) else None
    if name is None and isinstance(call.func, ast.Attribute) and call.func.attr == "argsort":
        return call.func.value
    value = context.value_of(call.func.value) if isinstance(call.func, ast.Attribute) and call.func.attr == "sort" else None
    return call.func.value if value is not None and value.kind == "tensor" and isinstance(call.func, ast.Attribute) else None


def order_in(node: ast.expr, context: Context) -> ast.Call | None:
    """The earlier sort whose order the keys are already in: `day[by_hour]`."""
    if isinstance(node, ast.Name):
        value = given(node, context)
        return order_in(value, context) if value is not None and not isinstance(value, ast.Name) else None
    if isinstance(node, ast.Subscript) and isinstance(node.slice, (ast.Name, ast.Call, ast.Attribute, ast.Subscript)):
        return sort_of(node.slice, node.value, context)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in PICKS and node.args:
        return sort_of(node.args[-1], node.func.value, context)
    return None


def sort_of(place: ast.expr, picked: ast.expr, context: Context) -> ast.Call | None:
    """The sort that made an index, if it was by something else than what is picked."""
    if isinstance(place, ast.Attribute) and place.attr == "indices":
        return sort_of(place.value, picked, context)
    if isinstance(place, ast.Name):
        bindings = context.file.names.bindings(place)
        if len(bindings) != 1 or bindings[0].kind != "assign":
            return None
        value = bindings[0].value
        path = bindings[0].path
        wanted = value if path == () or (path == (1,) and isinstance(value, ast.Call)) else None
        return sort_of(wanted, picked, context) if wanted is not None and not isinstance(wanted, ast.Name) else None
    if not isinstance(place, ast.Call):
        return None
    keys = sorted_by(place, context)
    return place if keys is not None and ast.dump(keys) != ast.dump(picked) else None


def given(node: ast.Name, context: Context) -> ast.expr | None:
    bindings = context.file.names.bindings(node)
    return given_by(bindings[0]) if len(bindings) == 1 and bindings[0].kind == "assign" else None
