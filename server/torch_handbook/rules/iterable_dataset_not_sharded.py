"""An IterableDataset gives all of its samples in every worker.

Why
    Each worker process runs the whole __iter__ of its copy. With two workers every sample comes twice, and nothing complains.
    __iter__ asks torch.utils.data.get_worker_info() which worker it is in and takes its share.

Bad
    class Stream(torch.utils.data.IterableDataset):
        def __iter__(self):
            return iter(range(8))

    loader = torch.utils.data.DataLoader(Stream(), num_workers=2)

Good
    class Stream(torch.utils.data.IterableDataset):
        def __iter__(self):
            worker = torch.utils.data.get_worker_info()
            return iter(range(worker.id, 8, worker.num_workers))

    loader = torch.utils.data.DataLoader(Stream(), num_workers=2)
"""

from __future__ import annotations

import ast
import re

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.loaders import Loader, loader_of
from torch_handbook.source.text import span_of

RULE = Rule("iterable-dataset-not-sharded", Severity.WARNING, Category.DATA, entry="torch.utils.data.DataLoader")

# Who speaks of these shares the work, or gives samples that are drawn at random.
SHARES = re.compile(r"worker|rank|shard|split|world|rand|sample|shuffle|partition|queue|while True", re.IGNORECASE)


@RULE.on(ast.Call)
def every_worker_all(call: ast.Call, context: Context) -> Findings:
    loader = loader_of(context.file, call)
    if loader is None or loader.dataset is None or not loader.has_workers or not loader.given.lacks("worker_init_fn"):
        return
    methods = loader.methods("__iter__")
    if not methods or not is_all_known(loader, context):
        return
    where = (Related(span_of(methods[0]), f"{loader.dataset.name}.__iter__ gives all of it"),)
    words = (
        f"each of the workers gives all samples of {loader.dataset.name}: let its __iter__ ask get_worker_info() for its share"
    )
    yield Finding.at(call, words, related=where)


def is_all_known(loader: Loader, context: Context) -> bool:
    """Whether the whole class is in this file, and no part of it may share the work."""
    classes = context.file.flow.classes
    found = list(classes.lineage(loader.dataset)) if loader.dataset else []
    names = {context.name_of(base) for node in found for base in node.bases if context.modules.local_class(base) is None}
    return names == {"torch.utils.data.IterableDataset"} and not any(SHARES.search(ast.unparse(node)) for node in found)
