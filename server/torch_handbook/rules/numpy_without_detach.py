"""An array is asked of a tensor that NumPy cannot read.

Why
    An array shares the tensor's memory, so NumPy takes neither a tensor that autograd records (a change of the array would be
    unseen) nor one in the memory of a GPU: both raise. `detach()` leaves the graph, `cpu()` copies to the host. For a metric or
    a plot that is right; in front of a loss compute with torch instead, since what NumPy computes has no gradient.

Bad
    scores = nn.Linear(3, 2)(torch.randn(4, 3))
    print(scores.numpy())

Good
    scores = nn.Linear(3, 2)(torch.randn(4, 3))
    print(scores.detach().numpy())
"""

from __future__ import annotations

import ast

from torch_handbook.engine.operands import in_brackets
from torch_handbook.engine.rule import Category, Context, Edit, Failure, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.text import Span, span_of

RULE = Rule(
    "numpy-without-detach",
    Severity.ERROR,
    Category.AUTOGRAD,
    entry="torch.Tensor.numpy",
    needs_facts=True,
    covers=("numpy-without-cpu",),
)


@RULE.on(ast.Module)
def failures(module: ast.Module, context: Context) -> Findings:
    for failure in context.facts.failures:
        if failure.reason == "numpy":
            yield found(failure, context)


def found(failure: Failure, context: Context) -> Finding:
    device = failure.details.get("device")
    way = (".detach()" if failure.details.get("requires_grad") else "") + (".cpu()" if device else "")
    call = context.call_at(failure.span)
    owner = method_of(call)
    given = owner if owner is not None else call.args[0] if call is not None and call.args else None
    shown = context.text_of(given) if given is not None else "the tensor"
    why = f"is on {device if device != 'gpu' else 'the GPU, where there is one'}" if device else "requires grad"
    one = given is not None and not isinstance(given, (ast.List, ast.Tuple)) and is_tensor(given, failure)
    words = f"{shown} {why}" if one else f"{shown} holds a tensor that {why}"
    advice = f"use {in_brackets(shown)}{way}{'.numpy()' if owner is not None else ''}" if one else f"append {way} to each"
    fix = inserted(owner, way, context) if owner is not None else None
    kind = "numpy-without-cpu" if device else "numpy-without-detach"
    return Finding.at(Span(*failure.span), f"{words}, so NumPy cannot read it: {advice}", fix=fix, kind=kind)


def is_tensor(given: ast.expr, failure: Failure) -> bool:
    """Whether the argument is the tensor itself, and no list of several."""
    places = [one.fact for one in failure.operands if tuple(one.span) == tuple(span_of(given))]
    return bool(places) and hasattr(places[0], "requires_grad")


def method_of(call: ast.Call | None) -> ast.expr | None:
    """The x of `x.numpy()`."""
    if call is not None and isinstance(call.func, ast.Attribute) and call.func.attr == "numpy":
        return call.func.value
    return None


def inserted(owner: ast.expr, way: str, context: Context) -> Fix | None:
    if not isinstance(owner, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)):
        return None
    end = span_of(owner).end
    return Fix(f"use {context.text_of(owner)}{way}.numpy()", (Edit(Span(*end, *end), way),), safe=False)
