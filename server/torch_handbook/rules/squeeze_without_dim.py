"""squeeze() without an axis drops the batch too, if it has one sample.

Why
    squeeze() removes every axis of size 1. A forward that means the last ones works until the first batch of one sample: the
    rest of a loader, a single picture in production. Then a (1, C) becomes (C,), and the loss or the next layer raises, or
    broadcasts. Name the axis, or flatten from axis 1.

Bad
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.pool = nn.Conv2d(3, 8, 3), nn.AdaptiveAvgPool2d(1)

        def forward(self, x):
            return self.pool(self.conv(x)).squeeze()

Good
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.pool = nn.Conv2d(3, 8, 3), nn.AdaptiveAvgPool2d(1)

        def forward(self, x):
            return self.pool(self.conv(x)).flatten(1)
"""

from __future__ import annotations

import ast
from typing import Any

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.engine.words import sizes
from torch_handbook.source.text import Span, span_of

RULE = Rule("squeeze-without-dim", Severity.WARNING, Category.SHAPE, entry="guides/shape-errors", needs_facts=True)
TAKE_ONE = frozenset({"index_fill", "index_select", "index_copy", "index_add"})


@RULE.on(ast.Module)
def bare(module: ast.Module, context: Context) -> Findings:
    for remark in context.facts.remarks(RULE.id):
        details = remark.details
        call = context.call_at(remark.span)
        if call is not None and is_index(call, context):
            continue
        better = instead(details["input"], details["ones"])
        text = f"squeeze() of {sizes(details['input'])} also drops the batch when it has one sample: use {better}"
        yield Finding.at(Span(*remark.span), text, fix=renamed(call, better) if call is not None else None)


def is_index(call: ast.Call, context: Context) -> bool:
    """Whether the result is the index of a method that takes a single number as well as a list of one."""
    around = context.file.parent_of(call)
    method = around.func.attr if isinstance(around, ast.Call) and isinstance(around.func, ast.Attribute) else ""
    return method.rstrip("_") in TAKE_ONE


def instead(shape: list[Any], ones: list[int]) -> str:
    """What removes the axes of size 1 and leaves the first one alone."""
    if len(ones) == 1:
        return f"squeeze({-1 if ones[0] == len(shape) - 1 else ones[0]})"
    if ones == list(range(2, len(shape))):
        return "flatten(1)"
    return f"squeeze({tuple(ones)})"


def renamed(call: ast.Call, better: str) -> Fix | None:
    if not isinstance(call.func, ast.Attribute) or call.args or call.keywords:
        return None
    owner, whole = span_of(call.func.value), span_of(call)
    return Fix(f"use .{better}", (Edit(Span(*owner.end, *whole.end), f".{better}"),), safe=False)
