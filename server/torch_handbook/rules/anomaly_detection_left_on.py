"""Anomaly detection is on for a whole training.

Why
    It records the stack of every operation of the forward and looks for NaN in every gradient, which makes small steps several
    times slower. It is for the run in which a NaN is searched for.

Bad
    torch.autograd.set_detect_anomaly(True)
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(1000):
        optimizer.zero_grad()
        model(torch.ones(4, 2)).mean().backward()
        optimizer.step()

Good
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(1000):
        optimizer.zero_grad()
        model(torch.ones(4, 2)).mean().backward()
        optimizer.step()
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.arguments import arguments_of

RULE = Rule("anomaly-detection-left-on", Severity.HINT, Category.PERFORMANCE, entry="guides/debugging-gradients")
LOOPS = (ast.For, ast.AsyncFor, ast.While)
WORDS = (
    "anomaly detection looks at every operation of the training, which makes it slower: leave it on only while you search a NaN"
)


@RULE.on(ast.Expr)
def switched(statement: ast.Expr, context: Context) -> Findings:
    call = statement.value
    if not isinstance(call, ast.Call) or context.name_of(call.func) != "torch.autograd.set_detect_anomaly":
        return
    mode = arguments_of(context.file, call, ("mode", "check_nan")).constant("mode")
    conditional = context.file.enclosing(statement, ast.If, ast.Try, ast.With) is not None
    if mode is True and not conditional and not is_switched_off(context) and trains(context.file.tree, context):
        yield Finding.at(call, WORDS)


@RULE.on(ast.With)
def entered(block: ast.With, context: Context) -> Findings:
    """`with torch.autograd.detect_anomaly():` around the steps of a loop, or around the loop."""
    for item in block.items:
        call = item.context_expr
        if not isinstance(call, ast.Call) or context.name_of(call.func) != "torch.autograd.detect_anomaly":
            continue
        looped = context.file.enclosing(block, *LOOPS) is not None or any(isinstance(part, LOOPS) for part in ast.walk(block))
        if looped and context.file.enclosing(block, ast.If) is None and trains(block, context):
            yield Finding.at(call, WORDS)


def is_switched_off(context: Context) -> bool:
    """Whether the file also turns it off, or on for a part: then it is used with care."""
    calls = [call for call in context.file.index.all(ast.Call) if "anomaly" in ast.unparse(call.func)]
    return len(calls) > 1


def trains(where: ast.AST, context: Context) -> bool:
    """Whether an optimizer makes its steps in a loop there."""
    inside = set(context.file.index.inside(where, ast.Call))
    steps = [call for call, kind in context.steps.kinds.items() if kind in ("step", "scaled-step") and call in inside]
    return any(context.file.enclosing(call, *LOOPS) is not None for call in steps)
