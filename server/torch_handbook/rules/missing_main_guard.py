"""Workers are spawned by a script without a main guard.

Why
    A spawned process imports the script again. What stands at its top level runs in the worker as well, which would start
    workers of its own: Python stops with "before the current process has finished its bootstrapping phase". Put it behind `if
    __name__ == "__main__":`.

Bad
    torch.multiprocessing.set_start_method("spawn")
    data = torch.utils.data.TensorDataset(torch.zeros(8))
    for batch in torch.utils.data.DataLoader(data, num_workers=2):
        print(batch)

Good
    if __name__ == "__main__":
        torch.multiprocessing.set_start_method("spawn")
        data = torch.utils.data.TensorDataset(torch.zeros(8))
        for batch in torch.utils.data.DataLoader(data, num_workers=2):
            print(batch)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.loaders import loader_of, spawns
from torch_handbook.source.origins import given_by

RULE = Rule("missing-main-guard", Severity.ERROR, Category.DATA, entry="torch.utils.data.DataLoader")

ITERATING = frozenset({"iter", "list", "next", "enumerate", "sum", "tuple", "zip"})


@RULE.on(ast.For, ast.comprehension, ast.Call)
def at_top_level(node: ast.AST, context: Context) -> Findings:
    if isinstance(node, (ast.For, ast.comprehension)):
        source = node.iter
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ITERATING and node.args:
        source = node.args[0]
    else:
        return
    call = loader_call(source, context)
    loader = loader_of(context.file, call) if call else None
    if call is None or loader is None or not loader.has_workers or not spawns(context.file, call):
        return
    if runs_on_import(source, context):
        words = 'spawned workers import this script and would start workers again: put this behind `if __name__ == "__main__":`'
        yield Finding.at(source, words)


def loader_call(node: ast.expr, context: Context) -> ast.Call | None:
    if isinstance(node, ast.Name):
        bindings = context.file.names.bindings(node)
        value = given_by(bindings[0]) if len(bindings) == 1 else None
        return value if isinstance(value, ast.Call) else None
    return node if isinstance(node, ast.Call) else None


def runs_on_import(node: ast.AST, context: Context) -> bool:
    """Whether a node stands at the top level, behind no condition."""
    guards = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.If, ast.ClassDef)
    return context.file.enclosing(node, *guards) is None
