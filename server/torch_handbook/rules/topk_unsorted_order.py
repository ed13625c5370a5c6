"""The first of an unsorted topk is taken for the best.

Why
    With sorted=False the k values come in any order, another one on another device. The default sorts them; the best alone is
    max().

Bad
    top = torch.topk(torch.rand(100), k=5, sorted=False)
    best = top.values[0]

Good
    top = torch.topk(torch.rand(100), k=5)
    best = top.values[0]
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity

RULE = Rule("topk-unsorted-order", Severity.WARNING, Category.SHAPE, entry="guides/surprises")


@RULE.on(ast.Subscript)
def first(node: ast.Subscript, context: Context) -> Findings:
    owner, place = node.value, node.slice
    if isinstance(place, ast.Tuple) and place.elts:
        place = place.elts[-1]
    if isinstance(place, ast.UnaryOp):
        place = place.operand
    if not isinstance(place, ast.Constant) or type(place.value) is not int:
        return
    part = isinstance(owner, ast.Attribute) and owner.attr in ("values", "indices")
    name = owner.value if part and isinstance(owner, ast.Attribute) else owner
    if not isinstance(name, ast.Name):
        return
    bindings = context.file.names.bindings(name)
    wanted = () if part else None
    found = [binding.value for binding in bindings if binding.path == wanted or (wanted is None and binding.path in ((0,), (1,)))]
    if len(bindings) == 1 and found and is_unsorted(found[0], context):
        words = (
            f"topk with sorted=False gives its values in any order, so {context.text_of(node)} is any of them: leave sorted out"
        )
        yield Finding.at(node, words)


def is_unsorted(call: ast.expr | None, context: Context) -> bool:
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr != "topk":
        return False
    return any(
        word.arg == "sorted" and isinstance(word.value, ast.Constant) and word.value.value is False for word in call.keywords
    )
