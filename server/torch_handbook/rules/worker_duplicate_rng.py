"""A dataset keeps a random generator, which every worker gets a copy of.

Why
    Worker processes copy the dataset and the state of the generator in it, so all of them draw the same numbers, and in each
    epoch again. The global generators of torch, random and NumPy are seeded apart in each worker; draw from them, or make the
    generator in the worker.

Bad
    import numpy as np
    class Noise(torch.utils.data.Dataset):
        def __len__(self):
            return 10

        def __init__(self):
            self.rng = np.random.default_rng(0)
        def __getitem__(self, index):
            return self.rng.random()

    loader = torch.utils.data.DataLoader(Noise(), num_workers=2)

Good
    import numpy as np
    class Noise(torch.utils.data.Dataset):
        def __len__(self):
            return 10

        def __getitem__(self, index):
            return np.random.random()

    loader = torch.utils.data.DataLoader(Noise(), num_workers=2)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.loaders import loader_of
from torch_handbook.source.text import span_of

RULE = Rule("worker-duplicate-rng", Severity.WARNING, Category.DATA, entry="torch.utils.data.DataLoader")

GENERATORS = frozenset(
    {"numpy.random.default_rng", "numpy.random.RandomState", "numpy.random.Generator", "random.Random", "torch.Generator"}
)


@RULE.on(ast.Call)
def copied(call: ast.Call, context: Context) -> Findings:
    loader = loader_of(context.file, call)
    if loader is None or loader.dataset is None or not loader.has_workers or not loader.given.lacks("worker_init_fn"):
        return
    drawn = {
        part.attr
        for method in (*loader.methods("__getitem__")[:1], *loader.methods("__iter__")[:1])
        for part in ast.walk(method)
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id == "self"
    }
    attributes = context.file.flow.classes.attributes.get(loader.dataset, {})
    for name in sorted(drawn):
        bindings = attributes.get(name, [])
        made = bindings[0].value if len(bindings) == 1 else None
        if isinstance(made, ast.Call) and context.name_of(made.func) in GENERATORS:
            words = f"every worker has a copy of self.{name} and draws the same numbers: make it in the worker"
            where = (Related(span_of(call), "the loader with several workers"),)
            yield Finding.at(bindings[0].node, words, related=where)
