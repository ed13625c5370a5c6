"""A shape that a `# torch-handbook:` comment states is not the one that the code gives, or cannot be read.

Why
    The comment says what a tensor is where the code alone does not tell: an input that another program gives, a file that is
    loaded. Shapes further down follow from it, so one that contradicts the code, or that nothing can be made of, misleads.

Bad
    x = torch.zeros(8, 3, 32, 32)  # torch-handbook: x = (8, 3, 224, 224)

Good
    x = torch.load("images.pt")  # torch-handbook: x = (8, 3, 32, 32)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.text import Span

RULE = Rule(
    "shape-comment-wrong",
    Severity.WARNING,
    Category.SHAPE,
    entry="guides/shape-errors",
    needs_facts=True,
    covers=("shape-comment-unreadable",),
)


@RULE.on(ast.Module)
def comments(module: ast.Module, context: Context) -> Findings:
    for failure in context.facts.failures:
        if failure.reason == "comment":
            yield Finding.at(Span(*failure.span), failure.message, kind=str(failure.details["kind"]))
