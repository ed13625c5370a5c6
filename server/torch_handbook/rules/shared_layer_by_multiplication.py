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

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Related, Rule, Severity
from torch_handbook.source.text import span_of

RULE = Rule(
    "shared-layer-by-multiplication",
    Severity.WARNING,
    Category.MODULE,
    entry="torch.nn.ModuleList",
    covers=("shared-default-layer",),
)


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


@RULE.on(ast.ListComp)
def repeated(node: ast.ListComp, context: Context) -> Findings:
    """`[layer for _ in range(n)]` with a layer that was made before."""
    layer = node.elt
    if not isinstance(layer, ast.Name) or len(node.generators) != 1 or not is_range(node.generators[0], layer.id):
        return
    made = context.assigned(layer)
    if made is None or context.modules.made_by(made) is None or not context.modules.keeps_state(made):
        return
    scope = context.file.scope_of(layer).find(layer.id)
    uses = [use for use in context.callers.names.get(layer.id, ()) if context.file.scope_of(use).find(layer.id) is scope]
    if len(uses) == 1:
        words = f"all places hold the one {layer.id} that was made before: make the layer in the comprehension, or copy it"
        yield Finding.at(node, words, related=[Related(span_of(made), "made once")])


def is_range(walk: ast.comprehension, name: str) -> bool:
    counted = isinstance(walk.iter, ast.Call) and isinstance(walk.iter.func, ast.Name) and walk.iter.func.id == "range"
    return counted and not walk.ifs and isinstance(walk.target, ast.Name) and walk.target.id != name


@RULE.on(ast.FunctionDef)
def shared_by_default(function: ast.FunctionDef, context: Context) -> Findings:
    """A layer with weights as the default of a parameter: every call without it gets the same one."""
    owner = context.file.parent_of(function)
    if function.name != "__init__" or not isinstance(owner, ast.ClassDef) or not context.modules.is_module_class(owner):
        return
    for default in (*function.args.defaults, *function.args.kw_defaults):
        if (
            isinstance(default, ast.Call)
            and context.modules.made_by(default) is not None
            and context.modules.keeps_state(default)
        ):
            words = f"this layer is made once, when {owner.name} is defined, and all of them share its weights: default to None,"
            yield Finding.at(default, f"{words} and make the layer in __init__", kind="shared-default-layer")


def comprehension(node: ast.BinOp, layer: ast.expr, count: ast.expr, context: Context) -> Fix:
    text = context.file.text
    written = f"[{text.slice(span_of(layer))} for _ in range({text.slice(span_of(count))})]"
    return Fix("make a layer for each place", (Edit(span_of(node), written),), safe=False)
