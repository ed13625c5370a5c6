"""A share or a weight is computed with //, which leaves nothing of what is below one.

Why
    // rounds down: n_min // counts is 0 for every class but the smallest, correct // total is 0 until all are correct. A later
    .float() comes too late. `/` of whole numbers gives floats.

Bad
    counts = torch.tensor([80, 15, 5])
    class_weight = counts.min() // counts

Good
    counts = torch.tensor([80, 15, 5])
    class_weight = counts.min() / counts
"""

from __future__ import annotations

import ast
import re

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.dtypes import WHOLE
from torch_handbook.source.text import Span, span_of

RULE = Rule("floor-division-of-counts", Severity.WARNING, Category.DTYPE, entry="guides/dtypes")

SHARES = re.compile(
    r"(?:^|_)(?:\w*weights?|ratios?|fractions?|frac|probs?|probabilit(?:y|ies)|priors?|acc|accuracy|precision|recall)(?:_|\d|$)",
    re.I,
)
FLOATED = frozenset({"float", "double", "half"})
DIVIDES = frozenset({"torch.floor_divide"})


@RULE.on(ast.BinOp)
def operator(node: ast.BinOp, context: Context) -> Findings:
    if not isinstance(node.op, ast.FloorDiv) or not is_counted(node.right, context) or not is_share(node, context):
        return
    whole = context.dtype_of(node.left) in WHOLE or is_number(node.left, context)
    if whole:
        yield Finding.at(node, words(node, context), fix=divided(node, context))


@RULE.on(ast.Call)
def called(call: ast.Call, context: Context) -> Findings:
    counted = context.name_of(call.func) in DIVIDES and len(call.args) == 2 and is_counted(call.args[1], context)
    if counted and is_share(call, context):
        yield Finding.at(call, words(call, context))


def words(node: ast.expr, context: Context) -> str:
    return f"{context.text_of(node)} rounds down, so every share below one is 0: divide with /"


def divided(node: ast.BinOp, context: Context) -> Fix | None:
    """One of the two strokes goes."""
    between = Span(*span_of(node.left).end, *span_of(node.right).start)
    text = context.file.text.slice(between)
    return Fix("divide with /", (Edit(between, text.replace("//", "/")),), safe=False) if text.strip() == "//" else None


def is_counted(node: ast.expr, context: Context) -> bool:
    """Whether the divisor is a tensor of whole numbers that are not all the same plain one."""
    if isinstance(node, ast.Constant) or context.dtype_of(node) not in WHOLE:
        return False
    return not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("min", "gcd"))


def is_number(node: ast.expr, context: Context) -> bool:
    """Whether it is a plain whole number: written out, len(), a sum of such."""
    value = context.value_of(node)
    return (isinstance(node, ast.Constant) and type(node.value) is int) or (value is not None and value.name == "int")


def is_share(node: ast.expr, context: Context) -> bool:
    """Whether the result is meant as a share: by the name that it gets, or because it is made a float."""
    parent = context.file.parent_of(node)
    while isinstance(parent, (ast.BinOp, ast.Attribute, ast.Call)):
        if isinstance(parent, ast.Attribute) and parent.attr in FLOATED:
            return True
        node, parent = parent, context.file.parent_of(parent)
    if isinstance(parent, ast.keyword):
        return parent.arg is not None and SHARES.search(parent.arg) is not None
    targets = parent.targets if isinstance(parent, ast.Assign) else [parent.target] if isinstance(parent, ast.AnnAssign) else []
    names = [t.id if isinstance(t, ast.Name) else t.attr for t in targets if isinstance(t, (ast.Name, ast.Attribute))]
    return any(SHARES.search(name) for name in names) or any(is_floated(target, context) for target in targets)


def is_floated(target: ast.expr, context: Context) -> bool:
    """Whether some use of the name makes a float of it."""
    if not isinstance(target, ast.Name):
        return False
    uses = context.callers.names.get(target.id, [])
    around = [context.file.parent_of(use) for use in uses if context.file.scope_of(use) is context.file.scope_of(target)]
    return any(isinstance(one, ast.Attribute) and one.attr in FLOATED for one in around)
