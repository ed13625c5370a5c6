"""A part of the loss is computed from detached values alone, so that nothing learns from it.

Why
    detach() and .data give the values without their graph. A regulariser or a second loss that is computed from them alone shifts
    the printed loss and has no gradient: with any coefficient the weights learn the same. Detach what shall be a constant beside
    something that learns (a target, a weight), not the only input of a summand.

Bad
    model = nn.Linear(3, 2)
    fit = model(torch.randn(8, 3)).pow(2).mean()
    penalty = model.weight.detach().abs().sum()
    (fit + 0.1 * penalty).backward()

Good
    model = nn.Linear(3, 2)
    fit = model(torch.randn(8, 3)).pow(2).mean()
    penalty = model.weight.abs().sum()
    (fit + 0.1 * penalty).backward()
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.text import span_of

RULE = Rule("detach-in-objective", Severity.WARNING, Category.AUTOGRAD, entry="torch.Tensor.detach")


@RULE.on(ast.Module)
def summed(module: ast.Module, context: Context) -> Findings:
    """A summand of an objective that has no graph because something was detached on the way."""
    if not context.file.text.has("detach") and not context.file.text.has(".data"):
        return
    terms = context.objectives.terms
    for term in terms:
        graph = context.graphs.of(term.node)
        cuts = [cut for cut in graph.cuts if shown(cut) is not None]
        if term.off is not None or term.alone or graph.live is not False or not cuts:
            continue
        if is_spoken_of(term.node, [other.node for other in terms if other is not term], context):
            continue
        words = (
            f"{shown(cuts[0])} leaves the graph behind, and {context.text_of(term.node)} is computed from that alone: this part"
        )
        related = [Related(span_of(term.node), "a constant for every weight")] if term.node is not cuts[0] else []
        yield Finding.at(cuts[0], f"{words} of the loss has no gradient", related=related)


def shown(cut: ast.expr) -> str | None:
    """How a cut that was written on purpose reads; None for a sample, which has a rule of its own."""
    if isinstance(cut, ast.Attribute):
        return ast.unparse(cut)
    if isinstance(cut, ast.Call) and isinstance(cut.func, ast.Attribute) and cut.func.attr.startswith("detach"):
        return ast.unparse(cut)
    return None


def is_spoken_of(node: ast.expr, others: list[ast.expr], context: Context) -> bool:
    """Whether it is a bare `soft.detach()` beside the same value with its graph: `hard - soft.detach() + soft`."""
    inner = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else node
    if shown(node) is None:
        return False
    return any(term.node in others for term in context.objectives.of(inner, (), False, 0))
