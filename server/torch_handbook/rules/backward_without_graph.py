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

POSITIONS = frozenset({"argmax", "argmin", "argsort"})
PICKING = frozenset({"gather", "index_select", "take_along_dim"})
LOOKED = 100  # expressions behind one loss


@RULE.on(ast.Module)
def failures(module: ast.Module, context: Context) -> Findings:
    for failure in context.facts.failures:
        if failure.reason != "no-grad-fn":
            continue
        loss = failure.operands[0] if failure.operands else None
        words = f"{loss.text if loss and loss.text else 'this'} hangs on nothing that requires grad: backward raises"
        made = [Related(Span(*loss.origin), "it is made here")] if loss and loss.origin else []
        call = context.call_at(failure.span)
        kind = "nondifferentiable-argmax" if call is not None and comes_through_argmax(call.func, context) else ""
        yield Finding.at(Span(*failure.span), words, related=made, kind=kind)


def comes_through_argmax(node: ast.expr, context: Context) -> bool:
    """Whether positions of largest values, which have no gradient, are among the operations that made a value."""
    waiting, looked = [node], 0
    while waiting and looked < LOOKED:
        looked += 1
        for origin in context.origins.of(waiting.pop()):
            if origin.name.rpartition(".")[2] in POSITIONS:
                return True
            waiting += behind(origin.node)
    return False


def behind(node: ast.expr) -> list[ast.expr]:
    """The expressions whose values go into one; where something is picked out by positions, not the positions."""
    if isinstance(node, ast.Subscript):
        return [node.value]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in PICKING:
        return [node.func.value]
    return [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
