"""A loader of training data does not shuffle.

Why
    shuffle is False by default. Data that is sorted by class gives batches of one class each: the network forgets the others,
    and BatchNorm learns the statistics of the last one. Nothing raises.

Bad
    train_data = torch.utils.data.TensorDataset(torch.zeros(8, 1))
    train_loader = torch.utils.data.DataLoader(train_data, batch_size=4)

Good
    train_data = torch.utils.data.TensorDataset(torch.zeros(8, 1))
    train_loader = torch.utils.data.DataLoader(train_data, batch_size=4, shuffle=True)
"""

from __future__ import annotations

import ast
import re

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.loaders import Loader, loader_of
from torch_handbook.source.text import Span, span_of

RULE = Rule("train-loader-not-shuffled", Severity.WARNING, Category.DATA, entry="torch.utils.data.DataLoader")

TRAIN = re.compile(r"(?:^|_)train(?:ing)?(?:_|\d|$)|train_?(?:data)?loader|trainloader", re.IGNORECASE)
OTHER = re.compile(r"eval|test|val|pred|infer|plain|order|seq|stat|feature|full", re.IGNORECASE)
DECIDES = ("shuffle", "sampler", "batch_sampler")


@RULE.on(ast.Assign)
def in_order(statement: ast.Assign, context: Context) -> Findings:
    call, target = statement.value, statement.targets[0]
    if not isinstance(call, ast.Call) or not isinstance(target, (ast.Name, ast.Attribute)):
        return
    name = target.id if isinstance(target, ast.Name) else target.attr
    loader = loader_of(context.file, call) if TRAIN.search(name) and not OTHER.search(name) else None
    if loader is None or not all(loader.given.lacks(word) for word in DECIDES) or not has_places(loader, context):
        return
    if "batch_size" not in loader.given.given or loader.given.constant("batch_size") in (None, 1):
        return
    end = span_of([*call.args, *call.keywords][-1]).end
    fix = Fix("shuffle the training data", (Edit(Span(*end, *end), ", shuffle=True"),), safe=False)
    yield Finding.at(call, f"{name} gives the training data in its order: give shuffle=True", fix=fix)


def has_places(loader: Loader, context: Context) -> bool:
    """Whether the dataset surely is one with an index, and no stream."""
    if loader.dataset is not None:
        return bool(loader.methods("__getitem__")) and not loader.methods("__iter__")
    value = context.value_of(loader.given.given.get("dataset"))
    return value is not None and value.sure and value.name == "torch.utils.data.TensorDataset"
