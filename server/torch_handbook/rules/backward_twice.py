"""Backward runs a second time through a graph that the first run has freed.

Why
    backward frees what the graph saved as it goes. A second backward through any part of it raises: two losses that share a
    forward, or a state that was carried from one step to the next without detach. Add the losses and call backward once, or
    detach what is carried on; retain_graph=True keeps the graph, and with it the memory of every step.

Bad
    shared = torch.ones(3, requires_grad=True).exp()
    shared.sum().backward()
    shared.mean().backward()

Good
    shared = torch.ones(3, requires_grad=True).exp()
    (shared.sum() + shared.mean()).backward()
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.text import Span

RULE = Rule("backward-twice", Severity.ERROR, Category.AUTOGRAD, entry="torch.Tensor.backward", needs_facts=True)
LOOPS = (ast.For, ast.AsyncFor, ast.While)


@RULE.on(ast.Module)
def failures(module: ast.Module, context: Context) -> Findings:
    for failure in context.facts.failures:
        if failure.reason != "backward-twice":
            continue
        loss = failure.operands[0].text if failure.operands else "this"
        call = context.call_at(failure.span)
        others = [one for one in context.gradients.backwards if call is not None and one.lineno < call.lineno]
        looped = call is not None and context.file.enclosing(call, *LOOPS) is not None
        words = f"part of the graph of {loss} was freed by an earlier backward"
        if others and not looped:
            words += f" (line {others[-1].lineno}): add the losses and call backward once"
        else:
            words += ": detach what one turn of the loop hands to the next"
        yield Finding.at(Span(*failure.span), words)
