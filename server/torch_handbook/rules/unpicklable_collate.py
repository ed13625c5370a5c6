"""Workers that are spawned are given a function that cannot be pickled.

Why
    A spawned worker gets its collate_fn and worker_init_fn pickled, and a lambda or a function inside a function cannot be:
    "Can't pickle local object". Spawning is the default on Windows and macOS; Linux forks, or forks from a server since Python
    3.14, which pickles too. A function at the top of the module works everywhere.

Bad
    data = torch.utils.data.TensorDataset(torch.zeros(8))
    loader = torch.utils.data.DataLoader(
        data, num_workers=2, multiprocessing_context="spawn", collate_fn=lambda samples: samples
    )

Good
    def collate(samples):
        return samples

    data = torch.utils.data.TensorDataset(torch.zeros(8))
    loader = torch.utils.data.DataLoader(data, num_workers=2, multiprocessing_context="spawn", collate_fn=collate)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.loaders import loader_of, spawns

RULE = Rule("unpicklable-collate", Severity.ERROR, Category.DATA, entry="guides/data-loading")

GIVEN = ("collate_fn", "worker_init_fn")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@RULE.on(ast.Call)
def pickled(call: ast.Call, context: Context) -> Findings:
    loader = loader_of(context.file, call)
    if loader is None or not loader.has_workers:
        return
    spawned = spawns(context.file, call)
    for name in GIVEN:
        function = loader.given.given.get(name)
        what = unpicklable(function, context) if function is not None else None
        if function is None or what is None:
            continue
        where = "workers here are spawned" if spawned else "workers are spawned on Windows and macOS"
        words = f"{name} is {what}, which cannot be pickled, and {where}: use a function at the top of the module"
        yield Finding.at(function, words, severity=None if spawned else Severity.INFORMATION)


def unpicklable(node: ast.expr, context: Context) -> str | None:
    """What it is that pickle refuses; None where it takes it, or that is not known."""
    if isinstance(node, ast.Lambda):
        return "a lambda"
    if isinstance(node, ast.Call) and context.name_of(node.func) == "functools.partial" and node.args:
        return unpicklable(node.args[0], context)
    if not isinstance(node, ast.Name):
        return None
    bindings = context.file.names.bindings(node)
    found = bindings[0].node if len(bindings) == 1 else None
    if isinstance(found, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return f"a function inside {inside}" if (inside := outer(found, context)) else None
    value = context.assigned(node)
    return unpicklable(value, context) if isinstance(value, ast.Lambda) else None


def outer(function: ast.AST, context: Context) -> str | None:
    """The name of the function that a function is defined in."""
    around = context.file.enclosing(function, *FUNCTIONS)
    return around.name if isinstance(around, (ast.FunctionDef, ast.AsyncFunctionDef)) else None
