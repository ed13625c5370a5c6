"""An update of the parameters gives a new value to the loop's variable only.

Why
    `p = decay * p + …` computes a new tensor and calls it p, until the next turn of the loop. The parameter stays as it is: an
    average of the weights that is made so never moves. Change it in place, under no_grad.

Bad
    for average, p in zip(ema.parameters(), model.parameters()):
        average = 0.99 * average + 0.01 * p

Good
    with torch.no_grad():
        for average, p in zip(ema.parameters(), model.parameters()):
            average.mul_(0.99).add_(p, alpha=0.01)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity

RULE = Rule("update-rebinds-loop-variable", Severity.ERROR, Category.TRAINING, entry="guides/surprises")
WALKS = frozenset({"parameters", "buffers"})


@RULE.on(ast.For)
def rebound(loop: ast.For, context: Context) -> Findings:
    """A loop over parameters that gives one of its variables a value that nothing reads."""
    walked = [node for node in context.file.index.inside(loop.iter, ast.Attribute) if node.attr in WALKS]
    names = {node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)}
    if not walked or not names:
        return
    for statement in context.file.index.inside(loop, ast.Assign):
        target = statement.targets[0]
        if not isinstance(target, ast.Name) or target.id not in names or not computes(statement.value, target.id):
            continue
        if not is_read(target, statement, context):
            words = f"this gives the name {target.id} another value and leaves the parameter as it is: change it in place, under"
            yield Finding.at(statement, f"{words} no_grad, as with {target.id}.copy_(…)")


def computes(value: ast.expr, name: str) -> bool:
    """Whether a value is computed from what the name held."""
    arithmetic = isinstance(value, ast.BinOp) or (isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute))
    return arithmetic and any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(value))


def is_read(target: ast.Name, statement: ast.Assign, context: Context) -> bool:
    """Whether the new value is read, in the loop or after it."""
    within = set(context.file.index.inside(statement, ast.Name))
    uses = [name for name in context.callers.names.get(target.id, ()) if name not in within]
    return any(binding.node is target for name in uses for binding in context.file.names.bindings(name))
