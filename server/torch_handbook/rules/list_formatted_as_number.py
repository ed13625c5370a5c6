"""A list or a tensor of several values is formatted as a number.

Why
    A format such as .4f is for one number. get_last_lr() gives a list, and a tensor with axes has no format: TypeError, often in
    the line that logs the first epoch.

Bad
    optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2)
    print(f"rate {scheduler.get_last_lr():.4f}")

Good
    optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2)
    print(f"rate {scheduler.get_last_lr()[0]:.4f}")
"""

from __future__ import annotations

import ast
import re

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.engine.words import all_known, sizes
from torch_handbook.source.guards import is_guarded

RULE = Rule("list-formatted-as-number", Severity.ERROR, Category.TRAINING, entry="torch.optim.lr_scheduler.StepLR")
NUMBER = re.compile(r"[^{}]*[.,]?\d*[eEfFgG%d]")  # the end of a format that only numbers take


@RULE.on(ast.FormattedValue)
def formatted(node: ast.FormattedValue, context: Context) -> Findings:
    parts = node.format_spec.values if isinstance(node.format_spec, ast.JoinedStr) else []
    spec = "".join(part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str))
    if node.conversion != -1 or len(parts) != 1 or NUMBER.fullmatch(spec) is None or is_guarded(context.file, node):
        return
    shown, value = context.text_of(node.value), node.value
    attribute = value.func.attr if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) else ""
    owner = (
        context.value_of(value.func.value)
        if attribute and isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)
        else None
    )
    if (
        attribute in ("get_last_lr", "get_lr")
        and owner is not None
        and owner.is_a("torch.optim.lr_scheduler.LRScheduler")
        and owner.sure
    ):
        if not owner.written:
            yield Finding.at(
                node, f"{attribute} gives a list, which has no format {spec}, this raises TypeError: take its first, [0]"
            )
        return
    fact = context.facts.tensor(value)
    if fact is not None and not fact.guessed and fact.shape and all_known(fact.shape):
        axes = "1 axis" if len(fact.shape) == 1 else f"{len(fact.shape)} axes"
        yield Finding.at(node, f"{shown} has {axes} {sizes(fact.shape)} and no format {spec}, this raises TypeError")
