"""Predictions are compared with labels of another shape, and all pairs are counted.

Why
    == stretches its sides to each other: (N, 1) predictions and (N,) labels become an N×N table of every prediction against
    every label. Its sum or mean looks like an accuracy and is none; nothing raises.

Bad
    preds, labels = torch.randn(8, 2).argmax(dim=1, keepdim=True), torch.randint(0, 2, (8,))
    accuracy = (preds == labels).float().mean()

Good
    preds, labels = torch.randn(8, 2).argmax(dim=1), torch.randint(0, 2, (8,))
    accuracy = (preds == labels).float().mean()
"""

from __future__ import annotations

import ast

from torch_handbook.engine.remarks import of_all_pairs, squeezed_column
from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.text import Span

RULE = Rule("comparison-broadcast-mismatch", Severity.WARNING, Category.SHAPE, entry="guides/shape-errors", needs_facts=True)


@RULE.on(ast.Module)
def tables(module: ast.Module, context: Context) -> Findings:
    for remark in context.facts.remarks(RULE.id):
        text = f"{of_all_pairs(remark)}: their {remark.details['total']} counts them all, make the shapes equal"
        yield Finding.at(Span(*remark.span), text, fix=squeezed_column(remark, context))
