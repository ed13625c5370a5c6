"""A model is exported for inputs of one size alone.

Why
    torch.export.export takes every size of the example inputs as a constant: a batch of another size fails a check of the
    exported program. dynamic_shapes says which axes may vary. Where one size is all that is wanted, nothing is wrong.

Bad
    model = nn.Linear(3, 1)
    program = torch.export.export(model, (torch.randn(8, 3),))

Good
    model = nn.Linear(3, 1)
    batch = torch.export.Dim("batch")
    program = torch.export.export(model, (torch.randn(8, 3),), dynamic_shapes=({0: batch},))
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.text import span_of

RULE = Rule("export-static-batch", Severity.HINT, Category.SHAPE, entry="guides/compile-and-trace")


@RULE.on(ast.Call)
def exported(call: ast.Call, context: Context) -> Findings:
    if context.name_of(call.func) != "torch.export.export" or len(call.args) < 2:
        return
    if any(word.arg in ("dynamic_shapes", "constraints", None) for word in call.keywords) or len(call.args) > 3:
        return
    words = (
        "the exported program takes inputs of exactly these sizes: say with dynamic_shapes which axes may vary, such as the batch"
    )
    other = next((size for size in later_sizes(call, context)), None)
    if other is not None:
        yield Finding.at(call, words, related=[Related(span_of(other), "of another size")], severity=Severity.WARNING)
    elif any(is_made(part, context) for item in call.args[1:] for part in ast.walk(item)):
        yield Finding.at(call, words)


def is_made(node: ast.AST, context: Context) -> bool:
    """Whether an example input is made there with sizes that are written out."""
    return size_of(node, context) is not None


def size_of(node: ast.AST, context: Context) -> int | None:
    """The first size of a tensor that a call makes."""
    if not isinstance(node, ast.Call) or context.name_of(node.func) not in (
        "torch.randn",
        "torch.rand",
        "torch.zeros",
        "torch.ones",
    ):
        return None
    first = node.args[0] if node.args else None
    first = first.elts[0] if isinstance(first, (ast.Tuple, ast.List)) and first.elts else first
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, int) else None


def later_sizes(call: ast.Call, context: Context) -> list[ast.Call]:
    """The inputs of another batch size that the exported program is called with."""
    statement = context.file.parent_of(call)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    mine = {size_of(part, context) for item in call.args[1:] for part in ast.walk(resolved(item, context))} - {None}
    if not isinstance(target, ast.Name) or not mine:
        return []
    found: list[ast.Call] = []
    for later in context.file.index.all(ast.Call):
        if later.lineno > call.lineno and ast.unparse(later.func).startswith((f"{target.id}.module()", f"{target.id}(")):
            parts = [part for item in later.args for part in ast.walk(resolved(item, context))]
            found += [part for part in parts if isinstance(part, ast.Call) and size_of(part, context) not in (None, *mine)]
    return found


def resolved(node: ast.expr, context: Context) -> ast.expr:
    """What a name was given, if it was one thing."""
    items = node.elts if isinstance(node, ast.Tuple) else [node]
    if len(items) == 1 and isinstance(items[0], ast.Name):
        bindings = context.file.names.bindings(items[0])
        value = bindings[0].value if len(bindings) == 1 and bindings[0].kind == "assign" else None
        return value if value is not None else node
    return node
