"""Gradients are clipped when there are none, or when the optimizer has used them already.

Why
    clip_grad_norm_ scales what is in .grad at that moment. Right after zero_grad there is nothing, and after step() it is too
    late: in both cases the update is made with gradients as large as they come, and nothing raises. Clip between backward()
    and step().

Bad
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.zero_grad()
    loss = model(torch.randn(8, 3)).pow(2).mean()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    loss.backward()
    optimizer.step()

Good
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.zero_grad()
    loss = model(torch.randn(8, 3)).pow(2).mean()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.steps import LOOPS, Step, after, before
from torch_handbook.source.text import span_of

RULE = Rule(
    "clip-before-backward",
    Severity.WARNING,
    Category.TRAINING,
    entry="guides/training-loop",
    covers=("clip-after-step",),
)


@RULE.on(ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.For, ast.AsyncFor, ast.While)
def clipped(node: ast.AST, context: Context) -> Findings:
    for block in context.steps.blocks(node):
        cyclic = isinstance(node, LOOPS)
        # When the scheduler steps has nothing to do with the gradients.
        steps = [step for step in context.steps.of(block) if step.kind != "schedule"]
        if any(not step.sure for step in steps):
            continue
        for step in steps:
            if step.kind == "clip":
                yield from of_clip(step, steps, cyclic, context)


def of_clip(clip: Step, steps: list[Step], cyclic: bool, context: Context) -> Findings:
    """A clip beside the steps that come before and after it."""
    earlier, later = before(steps, clip, cyclic), after(steps, clip, cyclic)
    if earlier is None or later is None or not any(step.kind == "step" for step in steps):
        return
    shown = context.text_of(clip.call.func)
    if earlier.kind == "clear" and later.kind == "backward":
        words = f"{shown} runs before {context.text_of(later.call)}, when all gradients are cleared: clip after backward"
        yield Finding.at(clip.call, words, related=[Related(span_of(later.call), "the gradients come from here")])
    elif earlier.kind == "step" and later.kind == "clear" and any(step.kind == "backward" for step in steps):
        words = f"{shown} runs after {context.text_of(earlier.call)}, which has used the gradients: clip before the step"
        related = [Related(span_of(earlier.call), "the gradients are used here")]
        yield Finding.at(clip.call, words, related=related, kind="clip-after-step")
