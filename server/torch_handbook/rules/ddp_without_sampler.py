"""Each process of a distributed training reads all of the data.

Why
    DistributedDataParallel averages gradients; it does not divide the data. Without a DistributedSampler every process draws
    from the whole dataset: with one seed all of them compute the same batch, and n GPUs do n times the work of one for the same
    gradient; an epoch is n epochs otherwise.

Bad
    data = torch.utils.data.TensorDataset(torch.zeros(8, 3), torch.zeros(8, 1))
    model = nn.parallel.DistributedDataParallel(nn.Linear(3, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in torch.utils.data.DataLoader(data, batch_size=4, shuffle=True):
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()

Good
    data = torch.utils.data.TensorDataset(torch.zeros(8, 3), torch.zeros(8, 1))
    model = nn.parallel.DistributedDataParallel(nn.Linear(3, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    sampler = torch.utils.data.DistributedSampler(data)
    for x, y in torch.utils.data.DataLoader(data, batch_size=4, sampler=sampler):
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
"""

from __future__ import annotations

import ast
import re

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.loaders import Loader
from torch_handbook.source.text import span_of

RULE = Rule("ddp-without-sampler", Severity.WARNING, Category.DATA, entry="guides/distributed-work")

DDP = "torch.nn.parallel.DistributedDataParallel"
# What divides the data by itself, or makes other data in each process.
DIVIDED = re.compile(r"rank|shard|Subset|split|rand|Iterable|partition|chunk")
MANAGED = re.compile(r"accelerat|fabric|lightning|split_dataset_by_node|DistributedSampler|deepspeed")


@RULE.on(ast.For)
def same_data(loop: ast.For, context: Context) -> Findings:
    found = next((one for one in context.batches.loops if one.node is loop), None)
    if found is None or MANAGED.search(context.file.text.content) or not reads_all(found.loader, context):
        return
    kinds = {step.kind for step in context.steps.of(loop.body)}
    wrapped = next((call for call in ast.walk(loop) if isinstance(call, ast.Call) and is_wrapped(call.func, context)), None)
    if wrapped is not None and {"backward", "step"} <= kinds:
        words = "every process reads all of the data: give the loader sampler=DistributedSampler(dataset)"
        yield Finding.at(
            found.loader.call, words, related=(Related(span_of(wrapped), "here a network of several processes trains on it"),)
        )


def is_wrapped(node: ast.expr, context: Context) -> bool:
    value = context.value_of(node)
    return value is not None and value.kind == "instance" and value.name == DDP and value.sure


def reads_all(loader: Loader, context: Context) -> bool:
    """Whether the loader surely draws from the whole of a dataset that is the same in all processes."""
    if not loader.given.lacks("sampler") or not loader.given.lacks("batch_sampler"):
        return False
    made = context.assigned(loader.given.given.get("dataset"))
    if not isinstance(made, ast.Call) or DIVIDED.search(ast.unparse(made)):
        return False
    given = [context.assigned(argument) for argument in made.args if isinstance(argument, ast.Name)]
    if any(one is None or DIVIDED.search(ast.unparse(one)) for one in given):
        return False
    name = context.name_of(made.func) or ""
    known = loader.dataset is not None and not DIVIDED.search(ast.unparse(loader.dataset))
    return known or name.startswith("torchvision.datasets.") or name == "torch.utils.data.TensorDataset"
