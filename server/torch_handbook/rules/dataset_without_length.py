"""A loader reads a dataset that has no length.

Why
    Without a sampler of your own the loader counts the samples with len. Dataset itself has no __len__: the loop raises
    TypeError, and with shuffle=True so does the loader at once.

Bad
    class Squares(torch.utils.data.Dataset):
        def __getitem__(self, index):
            return torch.tensor(index**2)

    loader = torch.utils.data.DataLoader(Squares(), batch_size=4, shuffle=True)

Good
    class Squares(torch.utils.data.Dataset):
        def __len__(self):
            return 100

        def __getitem__(self, index):
            return torch.tensor(index**2)

    loader = torch.utils.data.DataLoader(Squares(), batch_size=4, shuffle=True)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.guards import is_guarded
from torch_handbook.source.loaders import loader_of
from torch_handbook.source.text import span_of

RULE = Rule("dataset-without-length", Severity.ERROR, Category.DATA, entry="errors/dataset-without-length")


@RULE.on(ast.Call)
def read(call: ast.Call, context: Context) -> Findings:
    loader = loader_of(context.file, call)
    if loader is None or loader.dataset is None or not loader.methods("__getitem__") or is_guarded(context.file, call):
        return
    given = loader.given
    own = [name for name in ("sampler", "batch_sampler") if not given.lacks(name) and given.constant(name) is not None]
    if own or has_length(loader.dataset, context):
        return
    words = f"{loader.dataset.name} has no __len__, by which the loader counts its samples: this raises TypeError"
    yield Finding.at(given.given["dataset"], words, related=[Related(span_of(loader.dataset), "give it a __len__")])


def has_length(node: ast.ClassDef, context: Context) -> bool:
    """Whether a class may have a length: its own, one of a class that it derives from, or one that is given from outside."""
    classes = context.file.flow.classes
    for here in classes.lineage(node):
        bases = classes.bases_of(here)
        if not bases.complete or any(base != "torch.utils.data.Dataset" for base in bases.torch):
            return True
        if any(base.away is not None for base in bases.written) or here.decorator_list or here.keywords:
            return True
        if any(classes.own(here, name) for name in ("__len__", "__getattr__", "__iter__")):
            return True
    stored = context.file.index.attributes.get("__len__", ())
    return any(not isinstance(one.ctx, ast.Load) for one in stored)
