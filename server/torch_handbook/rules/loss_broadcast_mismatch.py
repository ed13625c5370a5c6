"""Predictions and targets of a loss differ in shape and are stretched to each other.

Why
    mse_loss, l1_loss, smooth_l1_loss and huber_loss broadcast. Predictions (N, 1) against targets (N,) become an N×N table of
    all pairs, whose mean is smallest when every prediction is the mean of all targets. torch only warns, and training runs on
    with a wrong loss.

Bad
    loss = F.mse_loss(nn.Linear(3, 1)(torch.randn(8, 3)), torch.randn(8))

Good
    loss = F.mse_loss(nn.Linear(3, 1)(torch.randn(8, 3)).squeeze(1), torch.randn(8))
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity, TensorFact
from torch_handbook.engine.words import sizes
from torch_handbook.source.einsum import atom
from torch_handbook.source.text import span_of

RULE = Rule("loss-broadcast-mismatch", Severity.ERROR, Category.SHAPE, entry="guides/shape-errors", needs_facts=True)

FUNCTIONS = frozenset(f"torch.nn.functional.{name}" for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"))
MODULES = frozenset(f"torch.nn.{name}" for name in ("MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss"))


@RULE.on(ast.Call)
def stretched(call: ast.Call, context: Context) -> Findings:
    if len(call.args) < 2 or not is_loss(call, context):
        return
    given, target = call.args[0], call.args[1]
    left, right = context.facts.tensor(given), context.facts.tensor(target)
    if left is None or right is None or not multiplies(left, right):
        return
    words = f"{context.text_of(given)} is {sizes(left.shape)} and {context.text_of(target)} {sizes(right.shape)}"
    words += ": the loss is taken over all pairs, make the shapes equal"
    yield Finding.at(call, words, fix=squeezed(given, left, right, context))


def is_loss(call: ast.Call, context: Context) -> bool:
    if context.name_of(call.func) in FUNCTIONS:
        return True
    return any(value.name in MODULES for value in context.origins.instances(call.func))


def multiplies(left: TensorFact, right: TensorFact) -> bool:
    """Whether one is a column and the other a row of the same length: broadcasting makes a table of them."""
    longer, shorter = (left.shape, right.shape) if len(left.shape) > len(right.shape) else (right.shape, left.shape)
    column = len(longer) == len(shorter) + 1 and longer[-1] == 1 and longer[:-1] == shorter
    return column and len(shorter) > 0 and shorter[-1] != 1


def squeezed(given: ast.expr, left: TensorFact, right: TensorFact, context: Context) -> Fix | None:
    """Take the last axis away from predictions that have one more than their targets."""
    if len(left.shape) != len(right.shape) + 1 or isinstance(given, ast.Starred):
        return None
    text = f"{atom(context.file.text.slice(span_of(given)))}.squeeze(-1)"
    return Fix(f"use {' '.join(text.split())}", (Edit(span_of(given), text),))
