"""A DataLoader has no worker processes.

Why
    num_workers is 0 by default: the process that trains reads and collates every batch itself. Where that takes long, workers do
    it meanwhile; where the data lie in memory they cost more than they gain, and so this is off by default.
    dataloader-num-workers-zero, which is on, speaks where a file is read for each sample.

Bad
    def loader(dataset):
        return torch.utils.data.DataLoader(dataset, batch_size=32)

Good
    def loader(dataset):
        return torch.utils.data.DataLoader(dataset, batch_size=32, num_workers=4)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.loaders import loader_of

RULE = Rule("dataloader-without-workers", Severity.HINT, Category.PERFORMANCE, entry="torch.utils.data.DataLoader", default=False)


@RULE.on(ast.Call)
def alone(call: ast.Call, context: Context) -> Findings:
    loader = loader_of(context.file, call)
    if loader is not None and loader.given.constant("num_workers", 0) == 0:
        words = "num_workers is 0, so the training process reads and collates every batch: give num_workers if that takes long"
        yield Finding.at(call, words)
