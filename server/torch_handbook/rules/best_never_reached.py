"""The best value so far begins where nothing is better.

Why
    No number is greater than infinity, and none is less than minus infinity: the best is never replaced, no checkpoint is saved,
    and early stopping always waits. Begin a loss at inf and ask for less, an accuracy at -inf and ask for more.

Bad
    best = float("inf")
    for epoch in range(10):
        loss = validate(epoch)
        if loss > best:
            best = loss

Good
    best = float("inf")
    for epoch in range(10):
        loss = validate(epoch)
        if loss < best:
            best = loss
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.origins import given_by
from torch_handbook.source.text import span_of

RULE = Rule("best-never-reached", Severity.ERROR, Category.TRAINING, entry="guides/checkpoints")
INFINITE = ("math.inf", "numpy.inf", "torch.inf")


@RULE.on(ast.If)
def compared(statement: ast.If, context: Context) -> Findings:
    test = statement.test
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return
    for name, greater in sides(test):
        bindings = context.file.names.bindings(name)
        inside = {part for one in statement.body for part in context.file.index.inside(one, ast.Name)}
        begun = [binding for binding in bindings if binding.node not in inside]
        if len(begun) != 1 or len(begun) == len(bindings) or any(binding.kind != "assign" for binding in bindings):
            continue
        value = given_by(begun[0])
        if value is not None and infinity(value, context) == (1 if greater else -1):
            words = (
                f"{name.id} begins at {context.text_of(value)}, and nothing is {'greater' if greater else 'less'}: it stays there"
            )
            yield Finding.at(test, words, related=[Related(span_of(begun[0].node), "it begins here")])


def sides(test: ast.Compare) -> list[tuple[ast.Name, bool]]:
    """The names of a comparison, each with whether the other side must be greater."""
    left, right, op = test.left, test.comparators[0], test.ops[0]
    if not isinstance(op, (ast.Lt, ast.Gt)):
        return []
    found = [(right, isinstance(op, ast.Gt)), (left, isinstance(op, ast.Lt))]
    return [(node, greater) for node, greater in found if isinstance(node, ast.Name)]


def infinity(node: ast.expr, context: Context) -> int:
    """1 for infinity, -1 for minus infinity, 0 for anything else."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -infinity(node.operand, context)
    if context.name_of(node) in INFINITE:
        return 1
    plain = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "float" and len(node.args) == 1
    text = node.args[0].value if isinstance(node, ast.Call) and plain and isinstance(node.args[0], ast.Constant) else None
    written = text.strip().lower() if isinstance(text, str) else ""
    return {"inf": 1, "+inf": 1, "infinity": 1, "-inf": -1, "-infinity": -1}.get(written, 0)
