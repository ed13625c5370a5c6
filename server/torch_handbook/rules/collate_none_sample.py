"""A dataset gives None for some samples, which the default collate cannot batch.

Why
    default_collate raises TypeError as soon as a batch holds None. Drop such samples before, or in a collate_fn of your own.

Bad
    class Scans(torch.utils.data.Dataset):
        def __getitem__(self, index):
            if index == 4:
                return None
            return torch.ones(2)

    loader = torch.utils.data.DataLoader(Scans(), batch_size=3)

Good
    class Scans(torch.utils.data.Dataset):
        def __getitem__(self, index):
            return torch.ones(2)

    loader = torch.utils.data.DataLoader(Scans(), batch_size=3)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.loaders import loader_of
from torch_handbook.source.text import span_of

RULE = Rule("collate-none-sample", Severity.ERROR, Category.DATA, entry="guides/data-loading")


@RULE.on(ast.Call)
def none_in_batch(call: ast.Call, context: Context) -> Findings:
    loader = loader_of(context.file, call)
    if loader is None or not loader.given.lacks("collate_fn") or loader.given.constant("batch_size", 1) is None:
        return
    methods = loader.methods("__getitem__")
    for part in ast.walk(methods[0]) if methods else ():
        none = isinstance(part, ast.Return) and (part.value is None or is_none(part.value))
        if none and context.file.enclosing(part, ast.FunctionDef, ast.Lambda) is methods[0]:
            words = "the loader cannot batch None: leave such samples out, or drop them in a collate_fn"
            yield Finding.at(part, words, related=(Related(span_of(call), "it has no collate_fn"),))
            return


def is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
