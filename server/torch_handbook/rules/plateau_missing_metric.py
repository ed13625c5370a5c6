"""ReduceLROnPlateau steps without the value that it watches.

Why
    All other schedulers count their steps; ReduceLROnPlateau compares a metric with the best so far, and its step takes that
    metric. Without it the call raises TypeError, at the end of the first epoch.

Bad
    optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=2)
    scheduler.step()

Good
    optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=2)
    scheduler.step(0.5)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.callers import FUNCTIONS, argument_of

RULE = Rule("plateau-missing-metric", Severity.ERROR, Category.TRAINING, entry="guides/training-loop")
PLATEAU = "torch.optim.lr_scheduler.ReduceLROnPlateau"


@RULE.on(ast.Call)
def stepped(call: ast.Call, context: Context) -> Findings:
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "step" or call.args or call.keywords:
        return
    if is_plateau(call.func.value, context) or is_chosen(call.func.value, context):
        shown = context.text_of(call.func.value)
        yield Finding.at(call, f"{shown} is a ReduceLROnPlateau, whose step takes the metric that it watches: give it the loss")


def is_plateau(node: ast.expr, context: Context) -> bool:
    value = context.value_of(node)
    return value is not None and value.kind == "instance" and value.sure and value.name == PLATEAU


def is_chosen(node: ast.expr, context: Context) -> bool:
    """Whether a function of the file made it, which for the text that it is given returns a ReduceLROnPlateau."""
    bindings = context.file.names.bindings(node) if isinstance(node, ast.Name) else []
    made = bindings[0].value if len(bindings) == 1 and bindings[0].path == () else None
    function = context.origins.function_of(made) if isinstance(made, ast.Call) else None
    if not isinstance(made, ast.Call) or not isinstance(function, FUNCTIONS):
        return False
    for statement in function.body:
        if isinstance(statement, ast.If) and isinstance(statement.body[-1], ast.Return) and not statement.orelse:
            chosen = is_true(statement.test, made, function, context)
            if chosen is None:
                return False
            if chosen:
                value = statement.body[-1].value
                return isinstance(value, ast.Call) and context.name_of(value.func) == PLATEAU
        elif isinstance(statement, ast.Return):
            return isinstance(statement.value, ast.Call) and context.name_of(statement.value.func) == PLATEAU
        elif hasattr(statement, "body"):
            return False
    return False


def is_true(test: ast.expr, call: ast.Call, function: ast.FunctionDef | ast.AsyncFunctionDef, context: Context) -> bool | None:
    """What `parameter == "text"` is for a call that gives a text; None where that cannot be told."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.Eq):
        return None
    wanted = test.comparators[0]
    if not isinstance(test.left, ast.Name) or not isinstance(wanted, ast.Constant):
        return None
    bindings = context.file.names.bindings(test.left)
    given = argument_of(call, function, test.left.id) if [one.kind for one in bindings] == ["parameter"] else None
    return given.value == wanted.value if isinstance(given, ast.Constant) else None
