"""A softmax runs along another axis than the one that its result is used along.

Why
    The probabilities of one sample must add up to one. With dim=0 of (batch, classes) scores those of one class over the batch
    do: what a sample gets depends on the others beside it, and a batch of one always says 1.0. Along the one output of a
    Linear(n, 1) every result is 1.0. Nothing raises.

Bad
    scores = nn.Linear(8, 5)(torch.randn(16, 8))
    guesses = torch.softmax(scores, dim=0).argmax(dim=1)

Good
    scores = nn.Linear(8, 5)(torch.randn(16, 8))
    guesses = torch.softmax(scores, dim=1).argmax(dim=1)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Failure, Finding, Findings, Fix, Rule, Severity
from torch_handbook.engine.words import short_name, sizes
from torch_handbook.source.text import Span, span_of

RULE = Rule("softmax-wrong-dim", Severity.WARNING, Category.SHAPE, entry="torch.nn.functional.softmax", needs_facts=True)


@RULE.on(ast.Module)
def along(module: ast.Module, context: Context) -> Findings:
    for remark in context.facts.remarks(RULE.id):
        details = remark.details
        text = f"{short_name(remark.operation)} runs along axis {details['axis']} of {sizes(details['input'])}, {reason(remark)}"
        yield Finding.at(Span(*remark.span), text, fix=moved(remark, context))


def reason(remark: Failure) -> str:
    """Why that axis is the wrong one."""
    text = remark.details["other"]
    if remark.details["why"] == "single":
        both = len(remark.details["input"]) == 2
        zero = "log" in short_name(remark.operation).lower()
        text = f"which has one value: each becomes {'0.0' if zero else '1.0'}, whatever it was"
        return f"{text}; one score takes {'logsigmoid' if zero else 'sigmoid'}" if both else f"{text}; take another axis"
    if remark.details["why"] == "batch":
        return "the batch: one sample's probabilities depend on the others"
    if remark.details["why"] == "returned":
        return "which is the batch: a row, one sample, does not add up to one"
    if remark.details["why"] == "loss":
        return "but the loss takes the classes from axis 1"
    if remark.details["why"] == "product":
        return f"but {text} sums along the last axis"
    return f"but {text} goes along axis 1"


def moved(remark: Failure, context: Context) -> Fix | None:
    """Write 1 for 0 where the scores are (batch, classes)."""
    call = context.call_at(remark.span)
    if call is None or len(remark.details["input"]) != 2 or remark.details["axis"] != 0:
        return None
    values = [word.value for word in call.keywords if word.arg == "dim"] or call.args[-1:]
    if not values or not isinstance(values[0], ast.Constant) or values[0].value != 0:
        return None
    return Fix("along the classes, dim 1", (Edit(span_of(values[0]), "1"),), safe=False)
