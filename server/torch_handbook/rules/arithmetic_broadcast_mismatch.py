"""A column and a row are combined by accident, and the mean is taken over all pairs.

Why
    A head with one output gives (N, 1), while targets, rewards or weights often are (N,). Their difference is an N×N table: the
    mean over it is smallest when all predictions are the same. Nothing raises, and the loss even falls for a while.

Bad
    values, returns = nn.Linear(4, 1)(torch.randn(20, 4)), torch.randn(20)
    loss = (returns - values).pow(2).mean()

Good
    values, returns = nn.Linear(4, 1)(torch.randn(20, 4)), torch.randn(20)
    loss = (returns - values.squeeze(1)).pow(2).mean()
"""

from __future__ import annotations

import ast

from torch_handbook.engine.remarks import of_all_pairs, squeezed_column
from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.text import Span

RULE = Rule("arithmetic-broadcast-mismatch", Severity.WARNING, Category.SHAPE, entry="guides/shape-errors", needs_facts=True)


@RULE.on(ast.Module)
def tables(module: ast.Module, context: Context) -> Findings:
    for remark in context.facts.remarks(RULE.id):
        text = f"{of_all_pairs(remark)}: their {remark.details['total']} is over all of them, make the shapes equal"
        yield Finding.at(Span(*remark.span), text, fix=squeezed_column(remark, context))
