"""cuDNN's autotuner is on, and the sizes change from step to step.

Why
    With torch.backends.cudnn.benchmark = True every convolution is timed with all its algorithms when it meets a size for the
    first time. With one size that pays at once. Where a size is drawn anew in each step, the search runs again and again, and
    takes longer than it saves.

Bad
    torch.backends.cudnn.benchmark = True
    conv = nn.Conv2d(3, 8, 3)
    for step in range(100):
        side = int(torch.randint(100, 400, ()))
        conv(torch.rand(2, 3, side, side))

Good
    conv = nn.Conv2d(3, 8, 3)
    for step in range(100):
        side = int(torch.randint(100, 400, ()))
        conv(torch.rand(2, 3, side, side))
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.text import span_of
from torch_handbook.source.torch_names import words

RULE = Rule("cudnn-benchmark-varying-shapes", Severity.INFORMATION, Category.PERFORMANCE, entry="guides/slow-code")
# Draws of a number, without those of a choice among a few: a few sizes are soon known.
DRAWS = words("torch.randint random.randint random.randrange numpy.random.randint")
SIZED = words("rand randn zeros ones empty full")
RESIZES = words("interpolate upsample")


@RULE.on(ast.Assign)
def tuned(statement: ast.Assign, context: Context) -> Findings:
    target, value = statement.targets[0], statement.value
    if not isinstance(value, ast.Constant) or value.value is not True or not isinstance(target, ast.Attribute):
        return
    if context.name_of(target) != "torch.backends.cudnn.benchmark":
        return
    drawn = next(sizes(context), None)
    if drawn is not None:
        words = (
            "cuDNN times its algorithms anew for each size, and the size is drawn in every step: leave benchmark off, or pad to a"
        )
        yield Finding.at(statement, f"{words} few sizes", related=[Related(span_of(drawn), "of another size in each step")])


def sizes(context: Context) -> Iterator[ast.Call]:
    """The calls in loops that make a batch of a drawn height or width, or resize one to it."""
    for call in context.file.index.all(ast.Call):
        owner, _, last = (context.name_of(call.func) or "").rpartition(".")
        made, resized = owner == "torch" and last in SIZED, owner == "torch.nn.functional" and last in RESIZES
        if not (made or resized) or context.file.enclosing(call, ast.For, ast.While, ast.AsyncFor) is None:
            continue
        given = call.args[2:] if made else [*call.args[1:2], *(word.value for word in call.keywords if word.arg == "size")]
        if made and len(call.args) == 1 and isinstance(call.args[0], ast.Tuple):
            given = call.args[0].elts[2:]
        if any(is_drawn(part, call, context) for one in given for part in ast.walk(one)):
            yield call


def is_drawn(node: ast.AST, call: ast.Call, context: Context) -> bool:
    """Whether it is a number that is drawn in the loop that the call is in."""
    if isinstance(node, ast.Call):
        return context.name_of(node.func) in DRAWS
    loop = context.file.enclosing(call, ast.For, ast.While, ast.AsyncFor)
    bindings = context.file.names.bindings(node) if isinstance(node, ast.Name) else []
    return any(
        one.value is not None
        and loop is not None
        and loop in context.file.grown.ancestors(one.node)
        and any(isinstance(part, ast.Call) and context.name_of(part.func) in DRAWS for part in ast.walk(one.value))
        for one in bindings
    )
