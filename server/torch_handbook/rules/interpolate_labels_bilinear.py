"""A map of class numbers is resized by mixing neighbours.

Why
    Between class 0 and class 4 bilinear interpolation puts 1, 2 and 3: classes that are not there, along every border. Class
    numbers are resized with mode="nearest"; scores and probabilities with "bilinear".

Bad
    labels = torch.randint(0, 5, (2, 1, 64, 64))
    small = F.interpolate(labels.float(), size=(32, 32), mode="bilinear").long()

Good
    labels = torch.randint(0, 5, (2, 1, 64, 64))
    small = F.interpolate(labels.float(), size=(32, 32), mode="nearest").long()
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.arguments import arguments_of
from torch_handbook.source.dtypes import WHOLE
from torch_handbook.source.origins import given_by
from torch_handbook.source.text import span_of

RULE = Rule("interpolate-labels-bilinear", Severity.WARNING, Category.DTYPE, entry="torch.nn.functional.interpolate")

ORDER = ("input", "size", "scale_factor", "mode", "align_corners")
MIXING = frozenset({"bilinear", "bicubic", "trilinear", "linear", "area"})
TO_WHOLE = frozenset({"long", "int", "short"})
RESHAPED = frozenset({"float", "double", "half", "unsqueeze", "view", "reshape", "permute", "to", "type", "contiguous", "clone"})
DEPTH = 8


@RULE.on(ast.Call)
def resized(call: ast.Call, context: Context) -> Findings:
    if context.name_of(call.func) != "torch.nn.functional.interpolate":
        return
    given = arguments_of(context.file, call, ORDER)
    mode, labels = given.constant("mode", "nearest"), given.given.get("input")
    if mode not in MIXING or labels is None or is_thresholded(call, context):
        return
    source = classes(labels, context, DEPTH)
    if source is None and not (is_made_whole(call, context) and is_plain(labels)):
        return
    written = given.given["mode"]
    alone = "align_corners" not in given.given and not any(word.arg == "antialias" for word in call.keywords)
    nearest = Fix('take the nearest class, mode="nearest"', (Edit(span_of(written), '"nearest"'),), safe=False)
    fix = nearest if alone and isinstance(written, ast.Constant) else None
    shown = context.text_of(source if source is not None else labels)
    words = f'{shown} holds class numbers, which {mode} mixes into classes in between: use mode="nearest"'
    yield Finding.at(call, words, fix=fix)


def classes(node: ast.expr, context: Context, depth: int) -> ast.expr | None:
    """The tensor of whole numbers that the input was made from, behind conversions and new axes."""
    if depth == 0:
        return None
    if context.dtype_of(node) in WHOLE - {"uint8"}:
        return node.value if isinstance(node, ast.Subscript) else node
    if isinstance(node, ast.Name):
        bindings = context.file.names.bindings(node)
        value = given_by(bindings[0]) if len(bindings) == 1 and bindings[0].kind == "assign" else None
        return classes(value, context, depth - 1) if value is not None else None
    if isinstance(node, ast.Subscript):
        return classes(node.value, context, depth - 1)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in RESHAPED:
        return classes(node.func.value, context, depth - 1) if context.name_of(node.func) is None else None
    return None


def is_plain(node: ast.expr) -> bool:
    """Whether the input is converted right here, `labels.float()`, as only whole numbers need to be."""
    while isinstance(node, ast.Subscript):
        node = node.value
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in RESHAPED:
        if node.func.attr in ("float", "double", "half") and not node.args:
            return True
        node = node.func.value
        while isinstance(node, ast.Subscript):
            node = node.value
    return False


def is_made_whole(call: ast.Call, context: Context) -> bool:
    """Whether the result becomes class numbers again: `.long()`, with reshaping in between."""
    node: ast.AST = call
    member = context.file.parent_of(node)
    while isinstance(member, (ast.Attribute, ast.Subscript)):
        outer = context.file.parent_of(member) if isinstance(member, ast.Attribute) else member
        if isinstance(member, ast.Attribute):
            if member.attr in TO_WHOLE:
                return True
            if member.attr == "to" and isinstance(outer, ast.Call):
                return any(context.name_of(item) in ("torch.long", "torch.int64", "torch.int32") for item in outer.args)
            if member.attr not in ("squeeze", "view", "reshape", "round", "flatten") or not isinstance(outer, ast.Call):
                return False
        if outer is None:
            return False
        node, member = outer, context.file.parent_of(outer)
    return False


def is_thresholded(call: ast.Call, context: Context) -> bool:
    """Whether the result is compared: the edge of one mask, softened and cut again."""
    node: ast.AST | None = call
    while isinstance(node, (ast.Call, ast.Attribute, ast.Subscript)):
        node = context.file.parent_of(node)
    if isinstance(node, ast.Compare):
        return True
    names = [t.id for t in node.targets if isinstance(t, ast.Name)] if isinstance(node, ast.Assign) else []
    uses = [use for name in names for use in context.callers.names.get(name, [])]
    return any(isinstance(context.file.parent_of(use), ast.Compare) for use in uses)
