"""A list that holds one layer is multiplied, so every place holds the same layer.

Why
    `[layer] * n` repeats the reference, not the layer: the network is n deep and has one set of weights. A comprehension makes
    a new layer each time. Who wants shared weights says so most clearly by calling one layer n times.

Bad
    layers = nn.ModuleList([nn.Linear(8, 8)] * 6)

Good
    layers = nn.ModuleList([nn.Linear(8, 8) for _ in range(6)])
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.text import span_of

RULE = Rule("shared-layer-by-multiplication", Severity.WARNING, Category.MODULE, entry="torch.nn.ModuleList")


@RULE.on(ast.BinOp)
def multiplied(node: ast.BinOp, context: Context) -> Findings:
    listed, count = (node.left, node.right) if isinstance(node.left, ast.List) else (node.right, node.left)
    if not isinstance(node.op, ast.Mult) or not isinstance(listed, ast.List) or len(listed.elts) != 1:
        return
    layer = listed.elts[0]
    # A layer that has a name already is often shared on purpose.
    if context.modules.made_by(layer) is None or not context.modules.keeps_state(layer):
        return
    words = f"all {context.text_of(count)} places hold the same layer: make one for each in a comprehension"
    yield Finding.at(node, words, fix=comprehension(node, layer, count, context))


def comprehension(node: ast.BinOp, layer: ast.expr, count: ast.expr, context: Context) -> Fix:
    text = context.file.text
    written = f"[{text.slice(span_of(layer))} for _ in range({text.slice(span_of(count))})]"
    return Fix("make a layer for each place", (Edit(span_of(node), written),), safe=False)
