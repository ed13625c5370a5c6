"""An optimizer is made anew in every step.

Why
    Momentum, the moments of Adam and the counts of its steps are kept in the optimizer. One that is new in each step starts
    without them: Adam becomes a step of the learning rate by the sign of the gradient, SGD loses its momentum, and a scheduler
    that holds the old one changes nothing.

Bad
    model = nn.Linear(2, 1)
    for step in range(100):
        optimizer = torch.optim.Adam(model.parameters())
        optimizer.zero_grad()
        model(torch.ones(4, 2)).mean().backward()
        optimizer.step()

Good
    model = nn.Linear(2, 1)
    optimizer = torch.optim.Adam(model.parameters())
    for step in range(100):
        optimizer.zero_grad()
        model(torch.ones(4, 2)).mean().backward()
        optimizer.step()
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.steps import Step
from torch_handbook.source.text import span_of

RULE = Rule("optimizer-created-in-loop", Severity.ERROR, Category.TRAINING, entry="torch.optim.Adam")
LOOPS = (ast.For, ast.AsyncFor, ast.While)


@RULE.on(ast.Assign)
def made(statement: ast.Assign, context: Context) -> Findings:
    loop = context.file.parent_of(statement)
    target = statement.targets[0]
    value = context.value_of(statement.value)
    if not isinstance(loop, LOOPS) or not isinstance(target, ast.Name) or not isinstance(statement.value, ast.Call):
        return
    if value is None or not value.is_a("torch.optim.Optimizer") or not value.sure or statement not in loop.body:
        return
    stepped = [step for step in context.steps.of(loop.body) if step.kind == "step" and step.on == target.id]
    each = "step" if len(stepped) == 1 and stepped[0].sure else "epoch"
    if each == "epoch" and not (is_epoch(loop) and is_stepped_in_loop(stepped, loop, context)):
        return
    # What the optimizer is of must be older than the loop: a new network in each turn needs a new optimizer.
    if len(stepped) == 1 and not is_new(statement.value, loop, context):
        words = f"{target.id} is made anew in every {each}, and forgets its momentum and moments: make it before the loop"
        yield Finding.at(
            statement.value,
            words,
            related=(Related(span_of(stepped[0].call), "the only step that it makes" if each == "step" else "stepped here"),),
        )


def is_epoch(loop: ast.stmt) -> bool:
    """Whether a loop counts epochs, by the name that it gives them."""
    return isinstance(loop, ast.For) and isinstance(loop.target, ast.Name) and loop.target.id in ("epoch", "ep", "e")


def is_stepped_in_loop(stepped: list[Step], loop: ast.stmt, context: Context) -> bool:
    """Whether its one step is made for each batch of an inner loop."""
    return len(stepped) == 1 and context.file.enclosing(stepped[0].call, *LOOPS) not in (loop, None)


def is_new(call: ast.Call, loop: ast.AST, context: Context) -> bool:
    """Whether anything that the optimizer is given is bound in the loop."""
    parts = [part for argument in [*call.args, *(word.value for word in call.keywords)] for part in ast.walk(argument)]
    within = set(ast.walk(loop))
    held = {part.attr for part in parts if isinstance(part, ast.Attribute)}
    if any(isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and node.attr in held for node in within):
        return True
    bound = [binding for part in parts if isinstance(part, ast.Name) for binding in context.file.names.bindings(part)]
    return not bound or any(binding.node in within for binding in bound)
