"""Positions are added along the batch.

Why
    A table of positions (length, 1, features) belongs to (time, batch, features) tokens: added to (batch, time, features) ones
    it runs along the batch, so all tokens of a sample get the same position. Nothing raises while the batch is no longer than
    the table, and the model is blind to order.

Bad
    class Positions(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("pe", torch.randn(64, 1, 16))

        def forward(self, x):
            return x + self.pe[: x.size(0)]

    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    out = layer(Positions()(torch.zeros(4, 9, 16)))

Good
    class Positions(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("pe", torch.randn(1, 64, 16))

        def forward(self, x):
            return x + self.pe[:, : x.size(1)]

    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    out = layer(Positions()(torch.zeros(4, 9, 16)))
"""

from __future__ import annotations

import ast

from torch_handbook.engine.remarks import says_otherwise
from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.engine.words import sizes
from torch_handbook.source.text import Span

RULE = Rule("positional-encoding-axis", Severity.WARNING, Category.SHAPE, entry="guides/shape-errors", needs_facts=True)
SOURCES = {
    "batch_first": "is built with batch_first=True, so axis {axis} is the batch",
    "loader": "gives the batch on axis {axis}",
    "layer": "has the batch on axis {axis}",
    "name": "is what the code calls axis {axis}",
}


@RULE.on(ast.Module)
def along_the_batch(module: ast.Module, context: Context) -> Findings:
    for remark in context.facts.remarks(RULE.id):
        details = remark.details
        text = f"{details['layer']} adds positions along axis {details['axis']} of {sizes(details['input'])}, "
        text += f"but {details['other']} " + SOURCES.get(details["source"], "says that it is the batch").format(
            axis=details["axis"]
        )
        yield Finding.at(Span(*remark.span), text, related=says_otherwise(remark))
