"""A tensor is combined with its own sums, which lack the axis that they were taken over.

Why
    x.sum(dim=1) of an (N, M) tensor is (N,), and sizes are matched from the right: x / x.sum(dim=1) divides columns by the sums
    of rows. It raises unless N equals M; of a square matrix the result is silently wrong. With keepdim=True the sums stay a
    column.

Bad
    scores = torch.rand(4, 4)
    rows = scores / scores.sum(dim=1)

Good
    scores = torch.rand(4, 4)
    rows = scores / scores.sum(dim=1, keepdim=True)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Failure, Finding, Findings, Fix, Rule, Severity
from torch_handbook.engine.words import sizes
from torch_handbook.source.text import Span, span_of

RULE = Rule("reduction-missing-keepdim", Severity.WARNING, Category.SHAPE, entry="guides/shape-errors", needs_facts=True)


@RULE.on(ast.Module)
def over_own_sums(module: ast.Module, context: Context) -> Findings:
    for remark in context.facts.remarks(RULE.id):
        details = remark.details
        whole, part = details["whole_text"] or "the tensor", details["part_text"] or f"its {details['reduction']}"
        text = f"{whole} is {sizes(details['whole'])} and {part} {sizes(details['part'])}, without axis {details['axis']}:"
        text += f" they meet on the wrong axis, give keepdim=True to {details['reduction']}"
        yield Finding.at(Span(*remark.span), text, fix=keeping(remark, context))


def keeping(remark: Failure, context: Context) -> Fix | None:
    """Give keepdim=True, where the reduction is one of the operands as it stands there."""
    for operand in remark.operands:
        call = context.call_at(operand.span)
        function = call.func if call is not None else None
        if call is None or not isinstance(function, ast.Attribute) or function.attr != remark.details["reduction"]:
            continue
        if any(word.arg in ("keepdim", None) for word in call.keywords) or not [*call.args, *call.keywords]:
            continue
        end = span_of([*call.args, *call.keywords][-1]).end
        return Fix("keep the axis, keepdim=True", (Edit(Span(*end, *end), ", keepdim=True"),), safe=False)
    return None
