"""A scheduler's get_lr is asked for the rate that is in use.

Why
    get_lr computes the next rate from the present one, for step to use: StepLR gives a rate that is decayed once more at each
    milestone, and torch warns. get_last_lr tells what the optimizer has.

Bad
    optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2)
    for epoch in range(4):
        optimizer.step()
        scheduler.step()
        print(scheduler.get_lr())

Good
    optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2)
    for epoch in range(4):
        optimizer.step()
        scheduler.step()
        print(scheduler.get_last_lr())
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.guards import is_guarded
from torch_handbook.source.text import Span, span_of

RULE = Rule("scheduler-get-lr", Severity.WARNING, Category.TRAINING, entry="torch.optim.lr_scheduler.StepLR")
PLACE = "torch.optim.lr_scheduler."
OTHERS = ("ReduceLROnPlateau", "LRScheduler", "_LRScheduler")  # they compute no next rate


@RULE.on(ast.Call)
def asked(call: ast.Call, context: Context) -> Findings:
    node = call.func
    if not isinstance(node, ast.Attribute) or node.attr != "get_lr" or call.args or call.keywords:
        return
    value = context.value_of(node.value)
    if value is None or value.kind != "instance" or not value.sure or value.written or not value.name.startswith(PLACE):
        return
    inside = context.file.enclosing(call, ast.FunctionDef)  # a scheduler of one's own may ask the one that it derives from
    if isinstance(inside, ast.FunctionDef) and inside.name == "get_lr":
        return
    if value.name.removeprefix(PLACE) in OTHERS or is_guarded(context.file, call):
        return
    end = span_of(node).end
    fix = Fix("use get_last_lr", (Edit(Span(end[0], end[1] - len("get_lr"), *end), "get_last_lr"),))
    owner = context.text_of(node.value)
    yield Finding.at(
        call, f"get_lr computes what {owner} is to set next, and torch warns: get_last_lr() is the rate in use", fix=fix
    )
