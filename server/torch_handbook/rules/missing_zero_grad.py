"""Gradients are never cleared between steps, and add up.

Why
    backward() adds to .grad. A loop that steps each turn but clears the gradients nowhere, or only outside of it, moves the
    weights by the sum of all gradients so far: steps become larger and larger and point to where the model was long ago.
    Nothing raises.

Bad
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(10):
        loss = model(torch.randn(8, 3)).pow(2).mean()
        loss.backward()
        optimizer.step()

Good
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(10):
        optimizer.zero_grad()
        loss = model(torch.randn(8, 3)).pow(2).mean()
        loss.backward()
        optimizer.step()
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.callers import FUNCTIONS
from torch_handbook.source.steps import LOOPS, Step
from torch_handbook.source.text import span_of

RULE = Rule(
    "missing-zero-grad",
    Severity.ERROR,
    Category.TRAINING,
    entry="torch.Tensor.backward",
    covers=("zero-grad-outside-batch-loop",),
)


@RULE.on(ast.For, ast.AsyncFor, ast.While)
def summed(loop: ast.For | ast.AsyncFor | ast.While, context: Context) -> Findings:
    """A loop that runs backward and steps each turn."""
    steps = context.steps.of(loop.body)
    backwards = [step for step in steps if step.kind == "backward"]
    stepped = [step for step in steps if step.kind == "step"]
    yield from left_out(loop, steps, context)
    if len(backwards) != 1 or len(stepped) != 1 or any(step.kind == "clear" for step in steps):
        return
    backward, step = backwards[0], stepped[0]
    if not (backward.sure and step.sure and is_plain(backward, step)) or leaves_early(loop) or clears_by_hand(context):
        return
    clear = outside(loop, step, context)
    if clear is not None:
        words = f"{context.text_of(clear.call)} runs once for all turns of this loop, each of which steps: move it into the loop"
        related = [Related(span_of(step.call), "each turn steps with the sum of all gradients so far")]
        yield Finding.at(clear.call, words, related=related, kind="zero-grad-outside-batch-loop")
    elif step.known and not mentions_clearing(context) and not is_made_in(loop, step, context):
        words = f"nothing clears the gradients between the steps of {step.on}, so they add up: call {step.on}.zero_grad()"
        yield Finding.at(step.call, f"{words} in each turn", related=[Related(span_of(backward.call), "this adds to them")])


def left_out(loop: ast.For | ast.AsyncFor | ast.While, steps: list[Step], context: Context) -> Findings:
    """A loop in which every optimizer that steps is cleared but one, and nothing else in the file clears."""
    cleared = {step.on for step in steps if step.kind == "clear"}
    missed = [step for step in steps if step.kind == "step" and step.on not in cleared]
    clears = [one for one in steps if one.kind == "clear"]
    if len(missed) != 1 or not clears or len(context.file.index.attributes.get("zero_grad", ())) != len(clears):
        return
    step, backwards = missed[0], [one for one in steps if one.kind == "backward"]
    others = [one for one in steps if one.kind == "step" and one.on in cleared]
    surely = step.known and step.sure and not step.call.args and all(one.known for one in (*clears, *others))
    if not surely or len(others) < 1 or len({one.on for one in others}) != len(cleared) or not backwards:
        return
    if leaves_early(loop) or clears_by_hand(context) or is_made_in(loop, step, context):
        return
    words = (
        f"nothing clears the gradients between the steps of {step.on}, so they add up: call {step.on}.zero_grad() in each turn"
    )
    yield Finding.at(step.call, words, related=[Related(span_of(clears[0].call), "another one is cleared here")])


def is_plain(backward: Step, step: Step) -> bool:
    """Whether it is `loss.backward()` and then `optimizer.step()`, not a framework's, nor a step that runs a closure."""
    function = backward.call.func
    plain = isinstance(function, ast.Attribute) and function.attr == "backward" and not backward.call.args
    return plain and not step.call.args and not step.call.keywords and backward.call.lineno < step.call.lineno


def leaves_early(loop: ast.For | ast.AsyncFor | ast.While) -> bool:
    """Whether the loop ends at its first turn."""
    return any(isinstance(statement, (ast.Break, ast.Return)) for statement in loop.body)


def clears_by_hand(context: Context) -> bool:
    """Whether something in the file gives `.grad` a value or zeroes it."""
    for node in context.file.index.attributes.get("grad", ()):
        parent = context.file.parent_of(node)
        if not isinstance(node.ctx, ast.Load) or (isinstance(parent, ast.Attribute) and parent.attr.endswith("_")):
            return True
    return False


def mentions_clearing(context: Context) -> bool:
    """Whether gradients are cleared anywhere in the file, or may be."""
    return "zero_grad" in context.file.index.attributes


def is_made_in(loop: ast.AST, step: Step, context: Context) -> bool:
    """Whether the optimizer or anything else that learns is made anew in each turn."""
    for call in ast.walk(loop):
        value = context.value_of(call) if isinstance(call, ast.Call) else None
        if (
            value is not None
            and value.kind == "instance"
            and (value.is_a("torch.optim.Optimizer") or value.base == "torch.nn.Module")
        ):
            return True
    return False


def outside(loop: ast.stmt, step: Step, context: Context) -> Step | None:
    """The call that clears the gradients of the same optimizer before this loop, in the loop or function around it."""
    parent = context.file.parent_of(loop)
    if not isinstance(parent, (*LOOPS, *FUNCTIONS)) or loop not in parent.body:
        return None
    if isinstance(parent, FUNCTIONS) and len(context.file.index.attributes.get("zero_grad", ())) != 1:
        return None  # a function that the loop calls may clear as well
    around = parent.body[: parent.body.index(loop)]
    later = context.steps.of(parent.body[parent.body.index(loop) + 1 :])
    if any(one.kind in ("clear", "step", "backward") for one in later) or loops_in(around):
        return None
    clears = [one for one in context.steps.of(around) if one.kind == "clear" and one.sure and one.on == step.on]
    return clears[-1] if clears else None


def loops_in(statements: list[ast.stmt]) -> bool:
    return any(isinstance(statement, LOOPS) for statement in statements)
