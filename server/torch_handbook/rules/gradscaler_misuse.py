"""A GradScaler is used in an order that undoes it.

Why
    The scaler multiplies the loss so that small gradients survive float16, and divides the gradients again before the step. All
    its parts are needed, in this order: scale(loss).backward(), then unscale_(optimizer) if gradients are clipped, then
    step(optimizer), then update(). A backward of the loss itself, an unscale_ in each turn of an accumulation, or no update()
    raise; clipping what is still scaled makes the step tens of thousands of times too small, and nothing raises.

Bad
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu")
    loss = model(torch.randn(8, 3)).pow(2).mean()
    scaler.scale(loss).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()

Good
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu")
    loss = model(torch.randn(8, 3)).pow(2).mean()
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.callers import FUNCTIONS
from torch_handbook.source.scalers import Scalers
from torch_handbook.source.steps import LOOPS, Step
from torch_handbook.source.text import span_of

RULE = Rule(
    "gradscaler-misuse",
    Severity.ERROR,
    Category.TRAINING,
    entry="guides/mixed-precision",
    covers=("amp-loss-not-scaled", "amp-missing-update", "amp-unscale-twice", "amp-clip-scaled-grads"),
)
PARTS = ("scale", "unscale_", "update")


@RULE.on(ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.For, ast.AsyncFor, ast.While)
def scaled(node: ast.AST, context: Context) -> Findings:
    for block in context.steps.blocks(node):
        steps = context.steps.of(block)
        for step in steps:
            if step.kind != "scaled-step" or not step.sure or not (step.known or is_scaler(step, context)):
                continue
            yield from unscaled(step, steps, context)
            yield from not_updated(step, context)
            yield from clipped(step, steps, context)
        if isinstance(node, LOOPS):
            yield from unscaled_each_time(steps, context)


def is_scaler(step: Step, context: Context) -> bool:
    """Whether a parameter is a gradient scaler, because the function does with it what is only done with one."""
    owner = owner_of(step)
    found = context.file.names.bindings(owner) if isinstance(owner, ast.Name) else []
    if not found or any(binding.kind != "parameter" for binding in found):
        return False
    methods = uses_in_function(step, context) or set()
    calls = context.file.index.inside(context.file.enclosing(owner, *FUNCTIONS) or context.file.tree, ast.Call)
    backwards = [one for one in calls if isinstance(one.func, ast.Attribute) and one.func.attr == "backward"]
    scales = any(is_scaled(one, step, context) for one in backwards)
    return scales or {"unscale_", "update"} <= methods


def methods_of(step: Step, context: Context) -> set[str] | None:
    """What the file does with the scaler of a step; of a parameter, what its function does, and all that has such a name."""
    owner = owner_of(step)
    found = context.file.names.bindings(owner) if isinstance(owner, ast.Name) else []
    if not found or any(binding.kind != "parameter" for binding in found):
        return Scalers(context.file).methods_of(owner)
    used = uses_in_function(step, context)
    # Whoever calls the function may do the rest: what is done with anything in the file counts.
    return used | {name for name in PARTS if name in context.file.index.attributes} if used is not None else None


def uses_in_function(step: Step, context: Context) -> set[str] | None:
    """The methods that a function calls on the scaler that it is given; None where it hands it on."""
    function = context.file.enclosing(step.call, *FUNCTIONS)
    names = context.file.index.inside(function, ast.Name) if function is not None else []
    around = [context.file.parent_of(name) for name in names if name.id == step.on]
    used = {one.attr for one in around if isinstance(one, ast.Attribute)}
    return used if all(isinstance(one, ast.Attribute) for one in around) else None


def owner_of(step: Step) -> ast.expr:
    """What the step is called on."""
    assert isinstance(step.call.func, ast.Attribute)
    return step.call.func.value


def unscaled(step: Step, steps: list[Step], context: Context) -> Findings:
    """A backward of the loss itself before the scaler's step, while nothing in the file scales."""
    methods = methods_of(step, context)
    earlier = steps[: steps.index(step)]
    backwards = [one for one in earlier if one.kind == "backward"]
    if methods is None or "scale" in methods or len(backwards) != 1 or not backwards[0].sure:
        return
    call = backwards[0].call
    if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name) and call.func.attr == "backward":
        words = f"{call.func.value.id} is not scaled, but {context.text_of(step.call)} divides by the scale and raises"
        words += f": call {step.on}.scale({call.func.value.id}).backward()"
        yield Finding.at(call, words, related=[Related(span_of(step.call), "stepped here")], kind="amp-loss-not-scaled")


def not_updated(step: Step, context: Context) -> Findings:
    methods = methods_of(step, context)
    if methods is not None and "update" not in methods and "scale" in methods and "__dict__" not in methods:
        words = f"{step.on}.update() is never called: the next {context.text_of(step.call)} raises, and the scale never adapts"
        yield Finding.at(step.call, words, kind="amp-missing-update")


def clipped(step: Step, steps: list[Step], context: Context) -> Findings:
    """A clip between the scaled backward and the step, with no unscale_ in between."""
    between: list[Step] = []
    for one in reversed(steps[: steps.index(step)]):
        between.append(one)
        if one.kind == "backward":
            break
    if not between or between[-1].kind != "backward" or not is_scaled(between[-1].call, step, context):
        return
    clips = [one for one in between if one.kind == "clip" and one.sure]
    methods = methods_of(step, context)
    if len(clips) != 1 or methods is None:
        return
    late = [one for one in between if one.kind == "unscale" and one.sure and one.on == step.on]
    if "unscale_" not in methods or (late and between.index(late[-1]) < between.index(clips[0])):
        arguments = ", ".join(ast.unparse(argument) for argument in step.call.args[:1])
        words = (
            f"these gradients are still scaled: call {step.on}.unscale_({arguments}) before {context.text_of(clips[0].call.func)}"
        )
        related = [Related(span_of(between[-1].call), "scaled here")]
        yield Finding.at(clips[0].call, words, related=related, kind="amp-clip-scaled-grads")


def is_scaled(backward: ast.Call, step: Step, context: Context) -> bool:
    """Whether it is `scaler.scale(loss).backward()`, of a scaler of torch."""
    made = backward.func.value if isinstance(backward.func, ast.Attribute) else None
    if not isinstance(made, ast.Call) or not isinstance(made.func, ast.Attribute) or made.func.attr != "scale":
        return False
    return Scalers(context.file).is_scaler(made.func.value) or ast.unparse(made.func.value) == step.on


def unscaled_each_time(steps: list[Step], context: Context) -> Iterator[Finding]:
    """unscale_ in each turn of a loop that updates only in some."""
    updates = [step for step in steps if step.kind == "update"]
    for step in steps:
        if step.kind == "unscale" and step.sure and step.known and updates and not any(one.sure for one in updates):
            words = f"{context.text_of(step.call)} runs in each turn, but {step.on}.update() only in some: the second unscale_"
            words += " since an update raises, so unscale where the optimizer steps"
            yield Finding.at(step.call, words, related=[Related(span_of(updates[0].call), "here")], kind="amp-unscale-twice")
