"""The steps of a sequence are joined along the batch.

Why
    cat makes no axis: T states of (batch, features) become (T·batch, features). A mean over time, a transpose or a softmax
    afterwards then mixes steps and samples, and a head gives T·batch rows. stack puts the steps on an axis of their own.

Bad
    cell, x, h = nn.GRUCell(8, 16), torch.randn(4, 10, 8), torch.zeros(4, 16)
    states = []
    for t in range(10):
        h = cell(x[:, t], h)
        states.append(h)
    mean = torch.cat(states).mean(dim=0)

Good
    cell, x, h = nn.GRUCell(8, 16), torch.randn(4, 10, 8), torch.zeros(4, 16)
    states = []
    for t in range(10):
        h = cell(x[:, t], h)
        states.append(h)
    mean = torch.stack(states).mean(dim=0)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.engine.words import sizes
from torch_handbook.source.text import Span

RULE = Rule("cat-instead-of-stack", Severity.WARNING, Category.SHAPE, entry="compare/cat-or-stack", needs_facts=True)


@RULE.on(ast.Module)
def merged(module: ast.Module, context: Context) -> Findings:
    for remark in context.facts.remarks(RULE.id):
        details = remark.details
        text = f"cat of {details['count']} steps of {sizes(details['input'])} puts time and batch on one axis, "
        text += f"{sizes(details['output'])}: stack(…, dim=1) gives the time its own"
        yield Finding.at(Span(*remark.span), text)
