"""Gradients are gathered over several batches, each at full weight.

Why
    A loss that is a mean gives the gradient of one batch. Summed over k batches before a step, the gradient is k times that
    of the large batch which it stands for: the learning rate is k times too large, and a clipped gradient is nearly always
    clipped. Divide each loss by the number of batches. Adam is hardly moved by a constant factor, so there it is only a hint.

Bad
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    steps = 4
    for i, x in enumerate(torch.randn(16, 8, 3)):
        loss = F.mse_loss(model(x), x[:, :1])
        loss.backward()
        if (i + 1) % steps == 0:
            optimizer.step()
            optimizer.zero_grad()

Good
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    steps = 4
    for i, x in enumerate(torch.randn(16, 8, 3)):
        loss = F.mse_loss(model(x), x[:, :1]) / steps
        loss.backward()
        if (i + 1) % steps == 0:
            optimizer.step()
            optimizer.zero_grad()
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.origins import given_by
from torch_handbook.source.steps import Step
from torch_handbook.source.text import span_of
from torch_handbook.source.torch_names import words

RULE = Rule("accumulation-not-scaled", Severity.WARNING, Category.TRAINING, entry="guides/training-loop")
SCALELESS = words("Adam AdamW Adamax NAdam RAdam RMSprop Adagrad Adadelta Rprop Adafactor SparseAdam")


@RULE.on(ast.For, ast.AsyncFor, ast.While)
def gathered(loop: ast.For | ast.AsyncFor | ast.While, context: Context) -> Findings:
    """A loop that runs backward in each turn, and steps and clears in every k-th."""
    guard = next(guards(loop, context), None)
    if guard is None:
        return
    every, steps = guard
    outer = [step for step in context.steps.of(loop.body) if step.call not in {one.call for one in steps}]
    backwards = [step for step in outer if step.kind == "backward"]
    if len(backwards) != 1 or not backwards[0].sure or any(step.kind in ("clear", "step", "scaled-step") for step in outer):
        return
    backward = backwards[0].call
    if is_mean(backward, context) and not is_scaled(loop, backward, every, context):
        step = next(one for one in steps if one.kind in ("step", "scaled-step"))
        shown = context.text_of(every)
        words = f"each of {shown} batches adds its whole gradient before {context.text_of(step.call)}: divide the loss by {shown}"
        value = context.value_of(step.call.func.value) if isinstance(step.call.func, ast.Attribute) else None
        scaleless = value is not None and value.name.rpartition(".")[2] in SCALELESS
        severity = Severity.HINT if scaleless else None
        yield Finding.at(backward, words, related=[Related(span_of(step.call), "steps with their sum")], severity=severity)


def guards(loop: ast.For | ast.AsyncFor | ast.While, context: Context) -> Iterator[tuple[ast.expr, list[Step]]]:
    """The `if (i + 1) % k == 0:` in a loop whose block steps and clears: k, and what the block does."""
    for statement in loop.body:
        tests = list(ast.walk(statement.test)) if isinstance(statement, ast.If) else []
        every = [part.right for part in tests if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mod)]
        if not isinstance(statement, ast.If) or not every or statement.orelse:
            continue
        steps = context.steps.of(statement.body)
        kinds = {step.kind for step in steps}
        one = isinstance(every[0], ast.Constant) and every[0].value in (1, None)
        if "clear" in kinds and kinds & {"step", "scaled-step"} and not one:
            yield every[0], steps


def is_mean(backward: ast.Call, context: Context) -> bool:
    """Whether what runs backward is a mean over the batch: one of torch's losses as it is by default, or `mean()`."""
    root = context.objectives.root(backward)
    origins = context.origins.of(root) if root is not None and "backward" not in root_name(backward) else []
    return bool(origins) and all(is_mean_of(origin.name, origin.node, context) for origin in origins)


def root_name(backward: ast.Call) -> str:
    """What a function other than a tensor's own does the backward: accelerate's scales the loss itself."""
    return ast.unparse(backward.func) if backward.args else ""


def is_mean_of(name: str, node: ast.expr, context: Context) -> bool:
    owner, _, last = name.rpartition(".")
    if last == "mean" and owner in ("torch", "torch.Tensor"):
        return True
    if not isinstance(node, ast.Call) or any(word.arg in ("reduction", None) for word in node.keywords):
        return False
    if owner == "torch.nn.functional":
        return last.endswith("_loss") or last in ("cross_entropy", "binary_cross_entropy", "binary_cross_entropy_with_logits")
    return owner == "torch.nn" and last.endswith("Loss") and not has_reduction(node.func, context)


def has_reduction(layer: ast.expr, context: Context) -> bool:
    """Whether the loss is made with a reduction of its own, or may be."""
    if isinstance(layer, ast.Name):
        found = context.file.names.bindings(layer)
    else:
        owner = context.file.flow.classes.owner_of(layer.value) if isinstance(layer, ast.Attribute) else None
        found = context.file.flow.classes.lookup(owner, layer.attr) if owner and isinstance(layer, ast.Attribute) else []
    values = [given_by(binding) for binding in found]
    if not values or not all(isinstance(value, ast.Call) for value in values):
        return context.file.text.has("reduction")
    return any(word.arg in ("reduction", None) for value in values if isinstance(value, ast.Call) for word in value.keywords)


def is_scaled(loop: ast.AST, backward: ast.Call, every: ast.expr, context: Context) -> bool:
    """Whether something divides: the loss in the loop, or anything in the file by the same number, or gradients are changed."""
    for node in context.file.index.attributes.get("grad", []):
        parent = context.file.parent_of(node)
        changed = isinstance(parent, ast.Attribute) and (parent.attr.endswith("_") or parent.attr == "data")
        if not isinstance(node.ctx, ast.Load) or changed:
            return True
    shown = ast.unparse(every)
    for node in context.file.index.all(ast.BinOp):
        near = backward.lineno >= node.lineno and loop in context.file.grown.ancestors(node)
        if isinstance(node.op, (ast.Div, ast.Mult)) and (shown in (ast.unparse(node.right), ast.unparse(node.left)) or near):
            return True
    return any(isinstance(node.op, (ast.Div, ast.Mult)) for node in context.file.index.inside(loop, ast.AugAssign))
