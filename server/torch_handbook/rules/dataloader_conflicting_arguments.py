"""A DataLoader is given arguments that exclude each other.

Why
    A sampler decides the order, so shuffle=True beside it raises; batch_sampler makes whole batches and excludes batch_size,
    shuffle, sampler and drop_last; prefetch_factor and persistent_workers speak of worker processes, and raise with
    num_workers=0, the default; an IterableDataset comes in an order of its own. All of them raise ValueError when the loader
    is made.

Bad
    data = torch.utils.data.TensorDataset(torch.zeros(8, 1))
    loader = torch.utils.data.DataLoader(data, batch_size=4, prefetch_factor=2)

Good
    data = torch.utils.data.TensorDataset(torch.zeros(8, 1))
    loader = torch.utils.data.DataLoader(data, batch_size=4, prefetch_factor=2, num_workers=2)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.arguments import UNKNOWN, Arguments
from torch_handbook.source.guards import is_guarded
from torch_handbook.source.loaders import loader_of
from torch_handbook.source.origins import given_by

RULE = Rule(
    "dataloader-conflicting-arguments",
    Severity.ERROR,
    Category.DATA,
    entry="guides/data-loading",
    covers=(
        "dataloader-shuffle-and-sampler",
        "dataloader-batch-size-and-batch-sampler",
        "dataloader-prefetch-without-workers",
        "dataloader-persistent-without-workers",
        "dataloader-iterable-shuffle",
    ),
)

SAMPLERS = "torch.utils.data."


@RULE.on(ast.Call)
def conflicting(call: ast.Call, context: Context) -> Findings:
    loader = loader_of(context.file, call)
    if loader is None or is_guarded(context.file, call):
        return
    given = loader.given
    shuffled = given.constant("shuffle") is True
    if shuffled and is_made(given, "sampler", context):
        words = "shuffle=True and a sampler exclude each other: give shuffle=False, or let it depend on the sampler"
        yield Finding.at(call, words, kind="dataloader-shuffle-and-sampler")
    yield from with_batch_sampler(call, given, context)
    yield from without_workers(call, given)
    dataset = context.value_of(given.given.get("dataset"))
    if shuffled and dataset is not None and dataset.sure and dataset.is_a("torch.utils.data.IterableDataset"):
        words = (
            f"{dataset.name} is an IterableDataset, which has an order of its own: leave shuffle out, and shuffle inside of it"
        )
        yield Finding.at(call, words, kind="dataloader-iterable-shuffle")


def with_batch_sampler(call: ast.Call, given: Arguments, context: Context) -> Findings:
    if not is_made(given, "batch_sampler", context):
        return
    others = {"batch_size": 1, "shuffle": False, "drop_last": False, "sampler": None}
    for name, neutral in others.items():
        value = given.constant(name, neutral)
        if value not in (UNKNOWN, neutral, None) or (name == "sampler" and is_made(given, name, context)):
            words = f"batch_sampler makes whole batches and excludes {name}: leave {name} out"
            yield Finding.at(call, words, kind="dataloader-batch-size-and-batch-sampler")
            return


def without_workers(call: ast.Call, given: Arguments) -> Findings:
    if given.constant("num_workers", 0) != 0:
        return
    prefetch = given.constant("prefetch_factor")
    if type(prefetch) is int:
        words = f"prefetch_factor={prefetch} needs worker processes: give num_workers, or leave it out"
        yield Finding.at(call, words, kind="dataloader-prefetch-without-workers")
    if given.constant("persistent_workers", False) is True:
        words = "persistent_workers=True needs worker processes: give num_workers, or leave it out"
        yield Finding.at(call, words, kind="dataloader-persistent-without-workers")


def is_made(given: Arguments, name: str, context: Context) -> bool:
    """Whether the argument is a sampler that the file makes, at least on one way."""
    node = given.given.get(name)
    if node is None:
        return False
    values = [given_by(one) for one in context.file.names.bindings(node)] if isinstance(node, ast.Name) else [node]
    return any(makes_sampler(value, context) for value in values)


def makes_sampler(value: ast.expr | None, context: Context) -> bool:
    if isinstance(value, ast.IfExp):
        return makes_sampler(value.body, context) or makes_sampler(value.orelse, context)
    name = context.name_of(value.func) if isinstance(value, ast.Call) else None
    return name is not None and name.startswith(SAMPLERS) and name.endswith("Sampler")
