"""Every training step waits for the GPU, to read a value of it.

Why
    Python runs ahead of the GPU and queues work for it; item(), cpu(), tolist(), float(), print and a condition on a tensor wait
    until all of that is done. Between forward and backward, or with steps of a few milliseconds, the GPU then idles. Add up
    detached tensors, and read the sum every hundred steps. With long steps one read each costs next to nothing, and so
    this is off by default.

Bad
    model = nn.Linear(4, 2).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def train(loader, total=0.0):
        for x, y in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x.cuda()), y.cuda())
            loss.backward()
            optimizer.step()
            total += loss.item()
        return total

Good
    model = nn.Linear(4, 2).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def train(loader, total=0.0):
        for x, y in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x.cuda()), y.cuda())
            loss.backward()
            optimizer.step()
            total += loss.detach()
        return total
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.devices import on_gpu
from torch_handbook.source.text import span_of
from torch_handbook.source.torch_names import words

RULE = Rule("sync-in-hot-loop", Severity.INFORMATION, Category.PERFORMANCE, entry="guides/slow-code", default=False)
READING = words("item tolist cpu numpy")
BUILTINS = words("float int bool print")
PARTS = words("detach mean sum max min argmax abs sqrt norm float squeeze")  # what is on the GPU after it, too
WITHS = (ast.With, ast.AsyncWith)


@RULE.on(ast.For, ast.While)
def trained(loop: ast.For | ast.While, context: Context) -> Findings:
    """The first value that each step reads, and how many there are."""
    kinds = {step.kind for step in context.steps.of(loop.body) if step.sure}
    if "backward" not in kinds or kinds.isdisjoint({"step", "scaled-step"}) or not runs_on_gpu(loop, context):
        return
    found = [node for node in each_time(loop.body) if reads(node, context)]
    if not found:
        return
    others = [Related(span_of(node), "here too") for node in found[1:]]
    often = f", {len(found)} times in all" if others else ""
    said = f"{context.text_of(found[0])} makes every step wait for the GPU{often}: add up detached tensors, read them at times"
    yield Finding.at(found[0], said, related=others)


def runs_on_gpu(loop: ast.For | ast.While, context: Context) -> bool:
    """Whether a network that was moved to a GPU runs in the loop, or one that is given what is moved there."""
    for node in each_time(loop.body):
        if isinstance(node, ast.Call) and is_network(node.func, context):
            given = [item for item in node.args if on_gpu(context.file, item)]
            if given or on_gpu(context.file, node.func):
                return True
    return False


def is_network(node: ast.expr, context: Context) -> bool:
    value = context.value_of(node)
    return value is not None and value.kind == "instance" and value.base == "torch.nn.Module"


def each_time(block: Sequence[ast.stmt]) -> Iterator[ast.expr]:
    """The expressions that every step evaluates, in the order of the text: what stands in a branch or an inner loop does not."""
    for statement in block:
        if isinstance(statement, WITHS):
            yield from each_time(statement.body)
        elif not hasattr(statement, "body") and not isinstance(statement, ast.Match):
            yield from (node for node in ast.walk(statement) if isinstance(node, ast.expr))


def reads(node: ast.expr, context: Context) -> bool:
    """Whether an expression waits for a tensor that the loss is made of."""
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Attribute):
        return node.func.attr in READING and not node.args and is_result(node.func.value, context)
    plain = (
        isinstance(node.func, ast.Name) and node.func.id in BUILTINS and context.file.scope_of(node).find(node.func.id) is None
    )
    return plain and any(is_result(item, context) for item in node.args)


def is_result(node: ast.expr, context: Context) -> bool:
    """Whether a value was computed by a network or a loss, and is where those are."""
    if isinstance(node, ast.Compare):
        return any(is_result(side, context) for side in (node.left, *node.comparators))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in (*PARTS, *READING):
        return node.func.attr in PARTS and is_result(node.func.value, context)
    return context.graphs.of(node).live is True
