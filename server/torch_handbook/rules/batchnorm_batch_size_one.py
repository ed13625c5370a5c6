"""The last batch has a single sample, which BatchNorm cannot normalize.

Why
    In training BatchNorm takes mean and variance over the batch. If the number of samples leaves a rest of one, the last batch of
    each epoch has one value a channel, and torch raises ValueError there, after minutes of training. drop_last=True leaves that
    batch out.

Bad
    data = torch.utils.data.TensorDataset(torch.randn(33, 5))
    loader = torch.utils.data.DataLoader(data, batch_size=16)
    net = nn.Sequential(nn.Linear(5, 8, bias=False), nn.BatchNorm1d(8))
    for (x,) in loader:
        net(x)

Good
    data = torch.utils.data.TensorDataset(torch.randn(33, 5))
    loader = torch.utils.data.DataLoader(data, batch_size=16, drop_last=True)
    net = nn.Sequential(nn.Linear(5, 8, bias=False), nn.BatchNorm1d(8))
    for (x,) in loader:
        net(x)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.engine.words import short_name
from torch_handbook.source.text import Span, span_of

RULE = Rule("batchnorm-batch-size-one", Severity.WARNING, Category.SHAPE, entry="torch.nn.BatchNorm2d", needs_facts=True)


@RULE.on(ast.Module)
def rest_of_one(module: ast.Module, context: Context) -> Findings:
    for remark in context.facts.remarks(RULE.id):
        details, call = remark.details, context.call_at(remark.span)
        text = f"{details['samples']} samples in batches of {details['batch_size']} leave a last one of 1, "
        text += f"which {short_name(remark.operation)} refuses in training: give drop_last=True"
        yield Finding.at(Span(*remark.span), text, fix=dropping(call) if call is not None else None)


def dropping(call: ast.Call) -> Fix | None:
    """Give drop_last=True."""
    if not call.args or any(word.arg in ("drop_last", None) for word in call.keywords):
        return None
    end = span_of([*call.args, *call.keywords][-1]).end
    return Fix("drop the last batch, drop_last=True", (Edit(Span(*end, *end), ", drop_last=True"),), safe=False)
