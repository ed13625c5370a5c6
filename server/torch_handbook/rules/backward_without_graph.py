"""Backward is called on something that hangs on nothing that requires grad.

Why
    A result that was computed under no_grad, detached, or made by argmax, rounding or sample() has no graph: there is nothing
    to compute a gradient of, and backward raises.

Bad
    scores = torch.randn(4, 3, requires_grad=True)
    loss = scores.argmax(1).float().mean()
    loss.backward()

Good
    scores = torch.randn(4, 3, requires_grad=True)
    loss = scores.softmax(1).max(1).values.mean()
    loss.backward()
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.text import Span

RULE = Rule(
    "backward-without-graph",
    Severity.ERROR,
    Category.AUTOGRAD,
    entry="torch.Tensor.backward",
    needs_facts=True,
    covers=("nondifferentiable-argmax",),
)


@RULE.on(ast.Module)
def failures(module: ast.Module, context: Context) -> Findings:
    for failure in context.facts.failures:
        if failure.reason != "no-grad-fn":
            continue
        loss = failure.operands[0] if failure.operands else None
        words = f"{loss.text if loss and loss.text else 'this'} hangs on nothing that requires grad: backward raises"
        made = [Related(Span(*loss.origin), "it is made here")] if loss and loss.origin else []
        yield Finding.at(Span(*failure.span), words, related=made)
