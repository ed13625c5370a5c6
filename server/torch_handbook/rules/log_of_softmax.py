"""The logarithm of a softmax is computed in two steps.

Why
    A probability below about 1e-45 is 0 in float32, its logarithm minus infinity and the gradient NaN, which reaches every
    weight in one step. log_softmax computes the same in one step, without that limit, and faster.

Bad
    scores = torch.randn(4, 10)
    log_probabilities = torch.log(F.softmax(scores, dim=1))

Good
    scores = torch.randn(4, 10)
    log_probabilities = F.log_softmax(scores, dim=1)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.text import Span, span_of

RULE = Rule("log-of-softmax", Severity.WARNING, Category.TRAINING, entry="torch.nn.functional.softmax")

SOFTMAX = frozenset({"torch.softmax", "torch.nn.functional.softmax"})


@RULE.on(ast.Call)
def logarithm(call: ast.Call, context: Context) -> Findings:
    inner = inside(call, context)
    if inner is None:
        return
    direct = isinstance(inner, ast.Call) and is_softmax(inner, context)
    if not direct and not all(origin.name in SOFTMAX | {"torch.Tensor.softmax"} for origin in context.origins.of(inner)):
        return
    words = "the logarithm of a softmax is -inf where the softmax is too small for its dtype: use log_softmax"
    yield Finding.at(call, words, fix=joined(call, inner, context) if isinstance(inner, ast.Call) and direct else None)


def inside(call: ast.Call, context: Context) -> ast.expr | None:
    """What a logarithm is taken of."""
    if context.name_of(call.func) == "torch.log":
        return call.args[0] if len(call.args) == 1 and not call.keywords else None
    if isinstance(call.func, ast.Attribute) and call.func.attr == "log" and not call.args and not call.keywords:
        value = context.value_of(call.func.value)
        return call.func.value if value is not None and value.kind == "tensor" else None
    return None


def is_softmax(call: ast.Call, context: Context) -> bool:
    if context.name_of(call.func) in SOFTMAX:
        return True
    value = context.value_of(call.func.value) if isinstance(call.func, ast.Attribute) else None
    return value is not None and value.kind == "tensor" and isinstance(call.func, ast.Attribute) and call.func.attr == "softmax"


def joined(call: ast.Call, inner: ast.Call, context: Context) -> Fix | None:
    """Take the logarithm away and rename softmax; None for a bare name that nothing imported as log_softmax."""
    if not isinstance(inner.func, ast.Attribute):
        return None
    outer, kept, name = span_of(call), span_of(inner), span_of(inner.func)
    edits = (
        Edit(Span(*outer.start, *kept.start), ""),
        Edit(Span(name.end_line, name.end_column - len("softmax"), *name.end), "log_softmax"),
        Edit(Span(*kept.end, *outer.end), ""),
    )
    return Fix("use log_softmax (equal within rounding)", edits)
