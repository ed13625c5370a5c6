"""The gradients are cleared between backward and step.

Why
    step() uses what backward() has put into .grad. A zero_grad() between the two throws it away, so the optimizer has nothing
    to do and the weights stay as they are. In accumulation over several batches, a zero_grad() in each of them leaves the step
    only the last one.

Bad
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(torch.randn(8, 3)).pow(2).mean().backward()
    optimizer.zero_grad()
    optimizer.step()

Good
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.zero_grad()
    model(torch.randn(8, 3)).pow(2).mean().backward()
    optimizer.step()
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.steps import LOOPS, Step, before
from torch_handbook.source.text import span_of

RULE = Rule(
    "zero-grad-before-step",
    Severity.ERROR,
    Category.TRAINING,
    entry="torch.optim.SGD",
    covers=("accumulation-cleared",),
)


@RULE.on(ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.For, ast.AsyncFor, ast.While)
def cleared(node: ast.AST, context: Context) -> Findings:
    for block in context.steps.blocks(node):
        steps = context.steps.of(block)
        for step in steps:
            if step.kind == "clear" and step.sure:
                yield from too_early(step, steps, context)
        if isinstance(node, LOOPS):
            yield from each_time(block, steps, context)


def too_early(clear: Step, steps: list[Step], context: Context) -> Findings:
    """The gradients of a backward right before are gone when the same optimizer steps right after."""
    place = steps.index(clear)
    earlier = before(steps, clear, cyclic=False)
    later = next((step for step in steps[place + 1 :] if step.kind not in ("clip", "unscale")), None)
    if earlier is None or later is None or earlier.kind not in ("backward", "clip", "unscale"):
        return
    if not earlier.sure or not later.sure or stepped_by(later) != clear.on or later.call.keywords:
        return
    words = f"{context.text_of(clear.call)} throws away the gradients that {context.text_of(later.call)} is to use: clear before"
    yield Finding.at(clear.call, f"{words} backward", related=[Related(span_of(later.call), "nothing is left for this step")])


def stepped_by(step: Step) -> str | None:
    """The optimizer that a step is of, as it is written: of `optimizer.step()` or of `scaler.step(optimizer)`."""
    if step.kind == "step" and not step.call.args:
        return step.on
    return ast.unparse(step.call.args[0]) if step.kind == "scaled-step" and len(step.call.args) == 1 else None


def each_time(block: list[ast.stmt], steps: list[Step], context: Context) -> Findings:
    """Every turn of a loop clears and runs backward, but only every n-th turn steps."""
    kinds = {kind: [step for step in steps if step.kind == kind] for kind in ("clear", "backward", "step")}
    if any(len(found) != 1 for found in kinds.values()):
        return
    clear, backward, step = (kinds[kind][0] for kind in ("clear", "backward", "step"))
    if not clear.sure or not backward.sure or clear.on != step.on or step.call.args:
        return
    around = [statement for statement in block if isinstance(statement, ast.If) and step.call in ast.walk(statement.test)]
    around += [s for s in block if isinstance(s, ast.If) and any(step.call in ast.walk(inner) for inner in s.body)]
    test = context.assigned(around[0].test) if around else None
    if test is None or around[0].orelse or not any(isinstance(part, ast.Mod) for part in ast.walk(test)):
        return
    words = f"{context.text_of(clear.call)} runs in every turn, but {context.text_of(step.call)} only where"
    words += f" {context.text_of(around[0].test)}: clear the gradients after the step, not for each batch"
    yield Finding.at(clear.call, words, kind="accumulation-cleared")
