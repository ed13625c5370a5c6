"""Each step starts the loader anew, and takes its first batch only.

Why
    next(iter(loader)) makes a new iterator: workers are started, the order is drawn, the first batches are fetched ahead, and
    all of that is thrown away for one batch. Without shuffle it is always the same one. itertools.cycle(loader) goes wrong in
    the other way: it keeps every batch of the first pass in memory, and repeats them in their order, with their augmentation.

Bad
    loader = torch.utils.data.DataLoader(data, batch_size=4, shuffle=True)
    for step in range(100):
        x, y = next(iter(loader))
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()

Good
    loader = torch.utils.data.DataLoader(data, batch_size=4, shuffle=True)
    for x, y in loader:
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.steps import LOOPS

RULE = Rule(
    "loader-restarted-each-step",
    Severity.WARNING,
    Category.DATA,
    entry="guides/dataloader-tuning",
    covers=("loader-in-cycle",),
)
LOADER = "torch.utils.data.DataLoader"


@RULE.on(ast.Call)
def restarted(call: ast.Call, context: Context) -> Findings:
    """`next(iter(loader))` in each turn of a training loop."""
    if not is_builtin(call, "next", context) or not isinstance(call.args[0], ast.Call):
        return
    made = call.args[0]
    loop = context.file.enclosing(call, *LOOPS, ast.FunctionDef, ast.Lambda)
    if not is_builtin(made, "iter", context) or not isinstance(loop, LOOPS) or not is_loader(made.args[0], context):
        return
    if is_bound_in(made.args[0], loop, context) or not any(step.kind == "backward" for step in context.steps.of(loop.body)):
        return
    shown = context.text_of(made.args[0])
    words = (
        f"every turn starts {shown} anew and takes its first batch only: make the iterator before the loop, or loop over {shown}"
    )
    yield Finding.at(call, words)


@RULE.on(ast.Call)
def cycled(call: ast.Call, context: Context) -> Findings:
    if context.name_of(call.func) == "itertools.cycle" and len(call.args) == 1 and is_loader(call.args[0], context):
        shown = context.text_of(call.args[0])
        words = (
            f"cycle keeps all batches of {shown} in memory and repeats them as they are, without a new shuffle or augmentation:"
        )
        yield Finding.at(call, f"{words} yield from {shown} in a while loop", kind="loader-in-cycle")


def is_builtin(call: ast.Call, name: str, context: Context) -> bool:
    plain = isinstance(call.func, ast.Name) and call.func.id == name and context.file.scope_of(call).find(name) is None
    return plain and len(call.args) == 1


def is_loader(node: ast.expr, context: Context) -> bool:
    values = context.origins.instances(node)
    return bool(values) and all(value.is_a(LOADER) and value.sure for value in values)


def is_bound_in(node: ast.expr, loop: ast.AST, context: Context) -> bool:
    """Whether it is another loader in each turn."""
    bindings = context.file.names.bindings(node) if isinstance(node, ast.Name) else []
    return any(loop in context.file.grown.ancestors(binding.node) for binding in bindings)
