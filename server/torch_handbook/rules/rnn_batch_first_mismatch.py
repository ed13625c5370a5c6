"""A recurrent layer takes the batch for the time.

Why
    LSTM, GRU and RNN read (time, batch, features) unless batch_first=True. A (batch, time, features) input fits as well: then
    the layer runs along the samples, each of them sees the ones before it, and out[:, -1] is the last sample, not the last step.
    Nothing raises, and the loss goes down a little.

Bad
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.rnn, self.head = nn.LSTM(5, 16), nn.Linear(16, 3)

        def forward(self, series):
            out, _ = self.rnn(series)
            return self.head(out[:, -1])

Good
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.rnn, self.head = nn.LSTM(5, 16, batch_first=True), nn.Linear(16, 3)

        def forward(self, series):
            out, _ = self.rnn(series)
            return self.head(out[:, -1])
"""

from __future__ import annotations

import ast

from torch_handbook.engine.remarks import says_otherwise, with_batch_first
from torch_handbook.engine.rule import Category, Context, Failure, Finding, Findings, Rule, Severity
from torch_handbook.engine.words import sizes
from torch_handbook.source.text import Span

RULE = Rule("rnn-batch-first-mismatch", Severity.WARNING, Category.SHAPE, entry="torch.nn.LSTM", needs_facts=True)


@RULE.on(ast.Module)
def along_the_batch(module: ast.Module, context: Context) -> Findings:
    for remark in context.facts.remarks(RULE.id):
        yield Finding.at(Span(*remark.span), words(remark), fix=with_batch_first(remark, context), related=says_otherwise(remark))


def words(remark: Failure) -> str:
    details = remark.details
    if details["wrong"] == "step":
        return f"{details['layer']} is the last sample of {sizes(details['input'])}, not the last step: take [:, -1]"
    text = f"{details['layer']} reads (time, batch, features), but {details['other']} "
    reads = {"step": "takes axis 1 for the time", "positions": "counts positions along axis 1"}
    return (
        text
        + reads.get(details["source"], f"says that axis {details['axis']} is the {details['role']}")
        + ": give batch_first=True"
    )
