"""A scheduler is told which epoch it is.

Why
    step() counts by itself. The argument is deprecated, and torch warns. What is given is taken for the number of the epoch,
    a loss too: only ReduceLROnPlateau takes one. step(epoch) with epochs from 0 lags one epoch behind step(), so that leaving
    the argument out moves each change of the rate one epoch forward, to where it belongs.

Bad
    optimizer = torch.optim.SGD(nn.Linear(2, 1).parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2)
    for epoch in range(4):
        optimizer.step()
        scheduler.step(epoch)

Good
    optimizer = torch.optim.SGD(nn.Linear(2, 1).parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2)
    for epoch in range(4):
        optimizer.step()
        scheduler.step()
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.text import Span, span_of
from torch_handbook.source.torch_names import words

RULE = Rule("scheduler-step-with-epoch", Severity.WARNING, Category.DEPRECATION, entry="guides/deprecations")
SCHEDULERS = "torch.optim.lr_scheduler."
WARNING = words(
    "LambdaLR MultiplicativeLR StepLR MultiStepLR ConstantLR LinearLR ExponentialLR PolynomialLR"
    " CosineAnnealingLR CyclicLR OneCycleLR"
)
REFUSING = words("ChainedScheduler SequentialLR")  # their step takes nothing


@RULE.on(ast.Call)
def stepped(call: ast.Call, context: Context) -> Findings:
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "step" or len([*call.args, *call.keywords]) != 1:
        return
    value = context.value_of(call.func.value)
    name = value.name.removeprefix(SCHEDULERS) if value is not None and value.kind == "instance" and value.sure else ""
    given = call.args[0] if call.args else call.keywords[0].value
    if name not in WARNING | REFUSING or isinstance(given, ast.Starred) or is_other(call):
        return
    text = context.text_of(given)
    fix = Fix("let it count by itself", (Edit(inside(call), ""),), safe=False)
    if name in REFUSING:
        yield Finding.at(
            given, f"{name}.step takes no argument, and raises TypeError: call step()", fix=fix, severity=Severity.ERROR
        )
    else:
        said = f"{name}.step takes {text} for the number of the epoch, which is deprecated: step() counts by itself"
        yield Finding.at(given, said, fix=fix)


def is_other(call: ast.Call) -> bool:
    """Whether it is the default that is given, or something that step has not."""
    given = call.args[0] if call.args else call.keywords[0].value
    default = isinstance(given, ast.Constant) and given.value is None
    return default or any(word.arg != "epoch" for word in call.keywords)


def inside(call: ast.Call) -> Span:
    """What stands between the parentheses of a call."""
    first, end = span_of([*call.args, *call.keywords][0]).start, span_of(call).end
    return Span(*first, end.line, end.column - 1)
