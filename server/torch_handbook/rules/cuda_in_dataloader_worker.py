"""A dataset moves its samples to the GPU, inside of worker processes.

Why
    Workers are forked, and a forked process cannot use CUDA once its parent has: "Cannot re-initialize CUDA in forked
    subprocess". Give CPU tensors, and move the batch in the training loop.

Bad
    class Pairs(torch.utils.data.Dataset):
        def __len__(self):
            return 10

        def __getitem__(self, index):
            return torch.ones(4).cuda()

    loader = torch.utils.data.DataLoader(Pairs(), num_workers=2)

Good
    class Pairs(torch.utils.data.Dataset):
        def __len__(self):
            return 10

        def __getitem__(self, index):
            return torch.ones(4)

    loader = torch.utils.data.DataLoader(Pairs(), num_workers=2)
    for batch in loader:
        batch = batch.cuda()
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.devices import is_gpu
from torch_handbook.source.loaders import loader_of, spawns

RULE = Rule("cuda-in-dataloader-worker", Severity.ERROR, Category.DATA, entry="torch.utils.data.DataLoader")


@RULE.on(ast.Call)
def moved_in_worker(call: ast.Call, context: Context) -> Findings:
    loader = loader_of(context.file, call)
    if loader is None or not loader.has_workers or spawns(context.file, call):
        return
    for method in (*loader.methods("__getitem__")[:1], *loader.methods("__iter__")[:1]):
        for part in ast.walk(method):
            if isinstance(part, ast.Call) and moves(part, context):
                words = f"{context.text_of(part)} runs in a worker process, which cannot use CUDA: move the batch in the loop"
                yield Finding.at(part, words)
                return


def moves(call: ast.Call, context: Context) -> bool:
    """Whether a call puts a tensor on a GPU."""
    if any(word.arg == "device" and is_gpu(context.file, word.value) for word in call.keywords):
        return True
    if not isinstance(call.func, ast.Attribute) or context.name_of(call.func) is not None:
        return False
    if call.func.attr == "cuda":
        return True
    return call.func.attr == "to" and bool(call.args) and is_gpu(context.file, call.args[0])
