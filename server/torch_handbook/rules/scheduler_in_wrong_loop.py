"""A scheduler is made for one loop and stepped in the other.

Why
    OneCycleLR with steps_per_epoch counts batches: called once per epoch, the learning rate never leaves its warm-up.
    CosineAnnealingLR with T_max in epochs counts epochs: called for every batch, it falls to its minimum and rises again several
    times in one epoch. Nothing raises.

Bad
    epochs = 10
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    for epoch in range(epochs):
        for x, y in loader:
            optimizer.step()
            scheduler.step()

Good
    epochs = 10
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    for epoch in range(epochs):
        for x, y in loader:
            optimizer.step()
        scheduler.step()
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.arguments import arguments_of
from torch_handbook.source.callers import FUNCTIONS
from torch_handbook.source.steps import LOOPS
from torch_handbook.source.text import span_of

RULE = Rule("scheduler-in-wrong-loop", Severity.WARNING, Category.TRAINING, entry="torch.optim.lr_scheduler.OneCycleLR")
COSINE = "torch.optim.lr_scheduler.CosineAnnealingLR"
CYCLE = "torch.optim.lr_scheduler.OneCycleLR"


@RULE.on(ast.Call)
def stepped(call: ast.Call, context: Context) -> Findings:
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "step" or not isinstance(call.func.value, ast.Name):
        return
    made = context.assigned(call.func.value)
    name = context.name_of(made.func) if isinstance(made, ast.Call) else None
    if not isinstance(made, ast.Call) or name not in (COSINE, CYCLE) or is_stepped_elsewhere(call, context):
        return
    loops = loops_around(call, context)
    shown = context.text_of(call.func.value)
    if name == COSINE and len(loops) == 2:
        epochs = arguments_of(context.file, made, ("optimizer", "T_max")).given.get("T_max")
        if epochs is not None and is_range_to(loops[1], epochs):
            words = f"{shown} is made for {context.text_of(epochs)} steps, one per epoch, and steps for each batch here: step it"
            yield Finding.at(call, f"{words} after the loop over the batches", related=[Related(span_of(made), "made here")])
    elif name == CYCLE and len(loops) == 1:
        given = arguments_of(context.file, made, ("optimizer", "max_lr", "total_steps", "epochs", "steps_per_epoch")).given
        if "steps_per_epoch" in given and "epochs" in given and is_range_to(loops[0], given["epochs"]):
            words = f"{shown} is made for every batch of {context.text_of(given['epochs'])} epochs, and steps once per epoch here"
            yield Finding.at(call, f"{words}: step it after each optimizer.step()", related=[Related(span_of(made), "made here")])


def loops_around(call: ast.Call, context: Context) -> list[ast.AST]:
    """The loops that a call stands in, the innermost first, within its function; none where it stands in an `if`."""
    found: list[ast.AST] = []
    for around in context.file.grown.ancestors(call):
        if isinstance(around, (ast.If, ast.Try)):
            return []
        if isinstance(around, (*FUNCTIONS, ast.Lambda)):
            break
        if isinstance(around, LOOPS):
            found.append(around)
    return found


def is_range_to(loop: ast.AST, end: ast.expr) -> bool:
    """Whether it is `for … in range(end)` or `range(start, end)`, perhaps in a progress bar."""
    walked = loop.iter if isinstance(loop, ast.For) else None
    while isinstance(walked, ast.Call) and walked.args:
        if isinstance(walked.func, ast.Name) and walked.func.id in ("range", "trange"):
            return len(walked.args) <= 2 and ast.unparse(walked.args[-1]) == ast.unparse(end)
        walked = walked.args[0]
    return False


def is_stepped_elsewhere(call: ast.Call, context: Context) -> bool:
    """Whether the scheduler is used for anything but its state, its rates and this step, or handed on."""
    assert isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name)
    for name in context.callers.names.get(call.func.value.id, ()):
        parent = context.file.parent_of(name)
        if parent is call.func:
            continue
        if not isinstance(parent, ast.Attribute) or parent.attr == "step":
            return True
    return False
