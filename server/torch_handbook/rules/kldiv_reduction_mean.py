"""kl_div is averaged over every element.

Why
    The divergence of a sample is the sum over its classes. The default, reduction="mean", divides by the number of classes as
    well: the loss is too small by that factor, and its weight beside other losses is off. torch warns of it. "batchmean" divides
    by the number of samples alone.

Bad
    loss = F.kl_div(torch.randn(8, 100).log_softmax(1), torch.randn(8, 100).softmax(1))

Good
    loss = F.kl_div(torch.randn(8, 100).log_softmax(1), torch.randn(8, 100).softmax(1), reduction="batchmean")
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.arguments import arguments_of
from torch_handbook.source.text import Span, span_of

RULE = Rule("kldiv-reduction-mean", Severity.WARNING, Category.TRAINING, entry="torch.nn.KLDivLoss")

ORDERS = {
    "torch.nn.functional.kl_div": ("input", "target", "size_average", "reduce", "reduction", "log_target"),
    "torch.nn.KLDivLoss": ("size_average", "reduce", "reduction", "log_target"),
}


@RULE.on(ast.Call)
def averaged(call: ast.Call, context: Context) -> Findings:
    order = ORDERS.get(context.name_of(call.func) or "")
    if order is None:
        return
    given = arguments_of(context.file, call, order)
    if not given.lacks("size_average") or not given.lacks("reduce") or given.constant("reduction", "mean") != "mean":
        return
    name = (context.name_of(call.func) or "").rpartition(".")[2]
    words = f'{name} averages over every element, not over the samples: give reduction="batchmean"'
    yield Finding.at(call, words, fix=mended(call, given.given.get("reduction")))


def mended(call: ast.Call, reduction: ast.expr | None) -> Fix | None:
    title = 'average over the samples, reduction="batchmean" (another value)'
    if reduction is not None:
        return Fix(title, (Edit(span_of(reduction), '"batchmean"'),), safe=False) if isinstance(reduction, ast.Constant) else None
    if any(word.arg is None for word in call.keywords):
        return None
    parts = [*call.args, *call.keywords]
    end = span_of(parts[-1]).end if parts else (span_of(call).end[0], span_of(call).end[1] - 1)
    return Fix(title, (Edit(Span(*end, *end), ', reduction="batchmean"' if parts else 'reduction="batchmean"'),), safe=False)
