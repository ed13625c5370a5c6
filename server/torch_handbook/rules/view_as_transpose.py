"""view or reshape is used where the axes have to change places.

Why
    view and reshape cut the same row of values anew; they never move one. Of (batch, heads, time, depth) values, reshape to
    (batch, time, heads * depth) puts several times of one head where the heads of one time belong, and HWC pixels that are
    reshaped to CHW are mixed with their colours. The shape is right and the content is not. permute or transpose moves axes.

Bad
    def merge(out):
        b, h, t, d = out.shape
        return out.reshape(b, t, h * d)

Good
    def merge(out):
        b, h, t, d = out.shape
        return out.transpose(1, 2).reshape(b, t, h * d)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.engine.words import short_name, sizes
from torch_handbook.source.text import Span

RULE = Rule("view-as-transpose", Severity.WARNING, Category.SHAPE, entry="torch.Tensor.view", needs_facts=True)


@RULE.on(ast.Module)
def torn(module: ast.Module, context: Context) -> Findings:
    for remark in context.facts.remarks(RULE.id):
        details = remark.details
        text = f"{short_name(remark.operation)} of {sizes(details['from'])} to {sizes(details['to'])} moves no axis:"
        text += f" the values of the axis of size {details['moved']} are mixed with others, use permute or transpose first"
        yield Finding.at(Span(*remark.span), text)
