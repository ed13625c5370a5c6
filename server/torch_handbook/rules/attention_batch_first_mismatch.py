"""Attention takes the batch for the sequence.

Why
    MultiheadAttention and the Transformer layers read (sequence, batch, features) unless batch_first=True. A (batch, sequence,
    features) input fits as well: then every token attends to the tokens at its place in the other samples. Nothing raises, and
    what one sample gives depends on its neighbours in the batch.

Bad
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.attn = nn.Conv1d(1, 16, 4, 4), nn.MultiheadAttention(16, 4)

        def forward(self, x):
            tokens = self.embed(x).transpose(1, 2)
            return self.attn(tokens, tokens, tokens)[0]

Good
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.attn = nn.Conv1d(1, 16, 4, 4), nn.MultiheadAttention(16, 4, batch_first=True)

        def forward(self, x):
            tokens = self.embed(x).transpose(1, 2)
            return self.attn(tokens, tokens, tokens)[0]
"""

from __future__ import annotations

import ast

from torch_handbook.engine.remarks import says_otherwise, with_batch_first
from torch_handbook.engine.rule import Category, Context, Failure, Finding, Findings, Rule, Severity
from torch_handbook.engine.words import short_name, sizes
from torch_handbook.source.text import Span

RULE = Rule(
    "attention-batch-first-mismatch", Severity.WARNING, Category.SHAPE, entry="torch.nn.MultiheadAttention", needs_facts=True
)
READS = {"step": "takes axis 1 for the sequence", "positions": "counts positions along axis 1"}


@RULE.on(ast.Module)
def across_samples(module: ast.Module, context: Context) -> Findings:
    for remark in context.facts.remarks(RULE.id):
        severity = Severity.HINT if remark.details.get("weak") else None
        fix, related = with_batch_first(remark, context), says_otherwise(remark)
        yield Finding.at(Span(*remark.span), words(remark), fix=fix, related=related, severity=severity)


def words(remark: Failure) -> str:
    details = remark.details
    text = f"{short_name(remark.operation)} reads (sequence, batch, features)"
    if details.get("weak"):
        return f"{text}: if {sizes(details['input'])} is (batch, sequence, features), give batch_first=True"
    reads = READS.get(details["source"], f"says that axis {details['axis']} is the {details['role']}")
    return f"{text}, but {details['other']} {reads}: give batch_first=True"
