"""Values are added to a tensor of torch.empty.

Why
    torch.empty takes memory as it is, with whatever was in it; what is added to that is garbage, and sometimes looks right.
    torch.zeros starts at 0.

Bad
    total = torch.empty(3)
    for step in range(3):
        total += torch.ones(3)

Good
    total = torch.zeros(3)
    for step in range(3):
        total += torch.ones(3)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Related, Rule, Severity
from torch_handbook.source.text import span_of

RULE = Rule("uninitialised-accumulator", Severity.ERROR, Category.DTYPE, entry="torch.zeros")


@RULE.on(ast.AugAssign)
def added(statement: ast.AugAssign, context: Context) -> Findings:
    target = statement.target
    if not isinstance(target, ast.Name) or not isinstance(statement.op, (ast.Add, ast.Sub, ast.Mult)):
        return
    scope = context.file.scope_of(target).find(target.id)
    bindings = scope.bindings.get(target.id, []) if scope is not None else []
    made = [binding.value for binding in bindings if binding.kind == "assign" and binding.path == ()]
    call = made[0] if len(made) == 1 else None
    if (
        len([binding for binding in bindings if binding.kind != "augment"]) != 1
        or not isinstance(call, ast.Call)
        or scope is None
    ):
        return
    if context.name_of(call.func) != "torch.empty" or is_empty(call) or is_filled(scope.node, target.id, context):
        return
    if span_of(call).line > statement.lineno:
        return
    spelt = context.spell("torch.zeros", call)
    fix = Fix("start with zeros", (Edit(span_of(call.func), spelt),)) if spelt else None
    where = (Related(span_of(statement), "values are added here"),)
    words = (
        f"{target.id} starts with whatever was in memory, and values are added to it (line {statement.lineno}): use torch.zeros"
    )
    yield Finding.at(call, words, fix=fix, related=where)


def is_empty(call: ast.Call) -> bool:
    """Whether an axis has no elements: then there is nothing to be wrong."""
    return any(isinstance(part, ast.Constant) and part.value == 0 for argument in call.args for part in ast.walk(argument))


def is_filled(place: ast.AST, name: str, context: Context) -> bool:
    """Whether something writes into it otherwise, or it is handed to who may."""
    for part in ast.walk(place):
        if not isinstance(part, ast.Name) or part.id != name or not isinstance(part.ctx, ast.Load):
            continue
        parent = context.file.parent_of(part)
        if isinstance(parent, (ast.Subscript, ast.keyword)) or (isinstance(parent, ast.Call) and part in parent.args):
            return True
        if isinstance(parent, ast.Attribute) and parent.attr.endswith(("_", "data")):
            return True
    return False
