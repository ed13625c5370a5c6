"""A layer is replaced after the optimizer was made, and is not trained.

Why
    The optimizer keeps the parameters that it was given. A layer that is put into the model later has others, which no optimizer
    knows: they get gradients and never move. Replace first, then make the optimizer.

Bad
    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model[1] = nn.Linear(4, 2)

Good
    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 10))
    model[1] = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.text import span_of

RULE = Rule("optimizer-stale-params", Severity.ERROR, Category.TRAINING, entry="torch.optim.SGD")


@RULE.on(ast.Assign)
def replaced(statement: ast.Assign, context: Context) -> Findings:
    """`model.fc = nn.Linear(…)` below `optimizer = SGD(model.parameters())` in one block."""
    target = statement.targets[0]
    if not isinstance(target, (ast.Attribute, ast.Subscript)) or not isinstance(root(target), ast.Name):
        return
    model = root(target)
    if not isinstance(model, ast.Name) or model.id == "self" or not context.modules.keeps_state(statement.value):
        return
    made = context.modules.made_by(statement.value)
    if made is None or not is_module(model, context):
        return
    block = siblings(statement, context)
    place = block.index(statement) if statement in block else 0
    optimizers = [one for one in block[:place] if makes_optimizer(one, model, context)]
    if not optimizers or any(speaks_of(one, model, context) for one in block[place + 1 :]):
        return
    words = f"the optimizer (line {optimizers[-1].lineno}) has the parameters that were in {context.text_of(target)} before,"
    related = [Related(span_of(optimizers[-1]), "the optimizer is made here")]
    yield Finding.at(statement, f"{words} not those of the new layer: make it after this line", related=related)


def root(node: ast.expr) -> ast.expr:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node


def is_module(node: ast.Name, context: Context) -> bool:
    value = context.value_of(node)
    return value is not None and value.kind == "instance" and value.base == "torch.nn.Module"


def siblings(statement: ast.stmt, context: Context) -> list[ast.stmt]:
    """The statements of the block that a statement is in."""
    parent = context.file.parent_of(statement)
    block: list[ast.stmt] = getattr(parent, context.file.grown.blocks.get(statement, "body"), [])
    return block


def makes_optimizer(statement: ast.stmt, model: ast.Name, context: Context) -> bool:
    """Whether a statement gives a name to an optimizer over all parameters of this very model."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call) or not statement.value.args:
        return False
    value, given = context.value_of(statement.value), statement.value.args[0]
    if value is None or not value.is_a("torch.optim.Optimizer") or not isinstance(given, ast.Call):
        return False
    owner = given.func.value if isinstance(given.func, ast.Attribute) and given.func.attr == "parameters" else None
    if not isinstance(owner, ast.Name) or owner.id != model.id:
        return False
    return [one.node for one in context.file.names.bindings(owner)] == [one.node for one in context.file.names.bindings(model)]


def speaks_of(statement: ast.stmt, model: ast.Name, context: Context) -> bool:
    """Whether a later statement makes another optimizer over the model, or gives one more parameters."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return False
    for part in ast.walk(statement):
        if isinstance(part, ast.Attribute) and part.attr in ("add_param_group", "param_groups"):
            return True
        value = context.value_of(part) if isinstance(part, ast.Call) else None
        names = {name.id for name in ast.walk(part) if isinstance(name, ast.Name)}
        if value is not None and value.kind == "instance" and value.is_a("torch.optim.Optimizer") and model.id in names:
            return True
    return False
