"""The learning rate scheduler steps before the optimizer does.

Why
    Since torch 1.1 the optimizer steps first. A scheduler that steps first skips the first value of the schedule: the first
    steps are taken with the second learning rate, and a warm-up starts too late. torch warns once, at the first call.

Bad
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=10)
    for epoch in range(20):
        scheduler.step()
        optimizer.zero_grad()
        model(torch.randn(8, 3)).pow(2).mean().backward()
        optimizer.step()

Good
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=10)
    for epoch in range(20):
        optimizer.zero_grad()
        model(torch.randn(8, 3)).pow(2).mean().backward()
        optimizer.step()
        scheduler.step()
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.text import span_of

RULE = Rule("scheduler-step-order", Severity.WARNING, Category.TRAINING, entry="guides/training-loop")


@RULE.on(ast.For, ast.AsyncFor, ast.While)
def stepped(loop: ast.For | ast.AsyncFor | ast.While, context: Context) -> Findings:
    """A loop whose first step is the scheduler's."""
    steps = [step for step in context.steps.of(loop.body) if step.kind in ("schedule", "step", "scaled-step")]
    if len(steps) < 2 or steps[0].kind != "schedule" or any(step.kind == "schedule" for step in steps[1:]):
        return
    first, second = steps[0], steps[1]
    if not first.sure or not first.known or first.call.args or first.call.keywords or second.call.args:
        return
    words = f"{context.text_of(first.call)} runs before {context.text_of(second.call)}, so the first learning rate is skipped"
    yield Finding.at(
        first.call,
        f"{words}: step the scheduler after the optimizer",
        related=[Related(span_of(second.call), "the optimizer steps here")],
    )
