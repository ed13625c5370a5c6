"""Values are added at positions that can repeat, and each position counts once.

Why
    x[index] += 1 reads, adds and writes back; where index holds a position twice, the second write overwrites the first.
    index_add_, scatter_add_ and bincount add all of them.

Bad
    labels = torch.tensor([0, 2, 2])
    counts = torch.zeros(3)
    counts[labels] += 1

Good
    labels = torch.tensor([0, 2, 2])
    counts = torch.zeros(3)
    counts.index_add_(0, labels, torch.ones(3))
"""

from __future__ import annotations

import ast
import re

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.origins import given_by

RULE = Rule("index-assign-duplicates", Severity.WARNING, Category.SHAPE, entry="torch.Tensor.add_")

INDEX = re.compile(r"labels?|targets?|ind(?:ex|ices)|idx|ids|classes|bins", re.IGNORECASE)
START = frozenset({"torch.zeros", "torch.ones", "torch.full"})


@RULE.on(ast.AugAssign)
def once_each(statement: ast.AugAssign, context: Context) -> Findings:
    target = statement.target
    if not isinstance(statement.op, ast.Add) or not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name):
        return
    index = target.slice
    if not isinstance(index, ast.Name) or not INDEX.fullmatch(index.id) or not may_repeat(index, context):
        return
    if any(origin.name not in START for origin in context.origins.of(target.value)) or not isinstance(
        statement.value, ast.Constant
    ):
        return
    counts, given = target.value.id, context.text_of(statement.value)
    words = (
        f"a position that {index.id} holds twice counts once: use {counts}.index_add_(0, {index.id}, …) to add {given} for each"
    )
    yield Finding.at(statement, words)


def may_repeat(index: ast.Name, context: Context) -> bool:
    """Whether it is a tensor of positions that somebody gives: no mask, no single number, and nothing without repetitions."""
    bindings = context.file.names.bindings(index)
    if len(bindings) != 1:
        return False
    if bindings[0].kind == "parameter":
        function = context.file.enclosing(index, ast.FunctionDef)
        around = context.file.enclosing(index, ast.For, ast.While, ast.FunctionDef)
        given = context.callers.arguments_of(bindings[0])
        values = [context.value_of(one) for one in given or ()]
        return around is function and bool(values) and all(value is not None and value.kind == "tensor" for value in values)
    made = given_by(bindings[0])
    if any(len(set(grid.values)) == len(grid.values) for grid in context.grids.of(index)):
        return False  # written out, and each only once
    return isinstance(made, ast.Call) and context.name_of(made.func) in ("torch.tensor", "torch.randint", "torch.as_tensor")
