"""cosine_similarity of all pairs sums over the wrong axis.

Why
    Its default is dim=1. Of a.unsqueeze(1) and b.unsqueeze(0), with shapes (n, 1, d) and (1, m, d), that is the axis of the
    other vectors, not of the features: the result has shape (n, d) in the place of (n, m), without an error.

Bad
    a, b = torch.randn(4, 8), torch.randn(5, 8)
    similar = F.cosine_similarity(a.unsqueeze(1), b.unsqueeze(0))

Good
    a, b = torch.randn(4, 8), torch.randn(5, 8)
    similar = F.cosine_similarity(a.unsqueeze(1), b.unsqueeze(0), dim=-1)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.text import Span, span_of

RULE = Rule("cosine-similarity-dim", Severity.WARNING, Category.SHAPE, entry="guides/surprises")


@RULE.on(ast.Call)
def of_pairs(call: ast.Call, context: Context) -> Findings:
    if context.name_of(call.func) not in ("torch.nn.functional.cosine_similarity", "torch.cosine_similarity"):
        return
    if len(call.args) != 2 or any(word.arg in ("dim", None) for word in call.keywords):
        return
    if {new_axis(call.args[0]), new_axis(call.args[1])} == {0, 1}:
        end = span_of([*call.args, *call.keywords][-1]).end
        fix = Fix("compare along the features, dim=-1", (Edit(Span(*end, *end), ", dim=-1"),), safe=False)
        words = "dim is 1 by default, the axis of the other vectors here: give dim=-1 for the features"
        yield Finding.at(call, words, fix=fix)


def new_axis(node: ast.expr) -> int | None:
    """Where an operand gets an axis: 1 for `a.unsqueeze(1)` and `a[:, None]`, 0 for `b[None]`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "unsqueeze" and node.args:
        place = node.args[0]
        return place.value if isinstance(place, ast.Constant) and type(place.value) is int else None
    if not isinstance(node, ast.Subscript):
        return None
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    places = [index for index, part in enumerate(parts) if isinstance(part, ast.Constant) and part.value is None]
    return places[0] if len(places) == 1 else None
