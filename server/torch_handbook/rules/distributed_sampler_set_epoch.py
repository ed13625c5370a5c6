"""A DistributedSampler is used for several epochs, and never told which.

Why
    It shuffles by its seed and the number of the epoch, which stays 0 unless set_epoch is called: every epoch has the same
    order.

Bad
    data = torch.utils.data.TensorDataset(torch.zeros(8, 1))
    sampler = torch.utils.data.DistributedSampler(data, num_replicas=2, rank=0)
    loader = torch.utils.data.DataLoader(data, sampler=sampler)
    for epoch in range(3):
        for batch in loader:
            print(batch)

Good
    data = torch.utils.data.TensorDataset(torch.zeros(8, 1))
    sampler = torch.utils.data.DistributedSampler(data, num_replicas=2, rank=0)
    loader = torch.utils.data.DataLoader(data, sampler=sampler)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for batch in loader:
            print(batch)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.loaders import loader_of
from torch_handbook.source.origins import given_by
from torch_handbook.source.text import Span, span_of

RULE = Rule("distributed-sampler-set-epoch", Severity.WARNING, Category.DATA, entry="guides/data-loading")


@RULE.on(ast.For)
def same_order(loop: ast.For, context: Context) -> Findings:
    counts = isinstance(loop.iter, ast.Call) and isinstance(loop.iter.func, ast.Name) and loop.iter.func.id == "range"
    if not counts or not isinstance(loop.target, ast.Name) or context.file.text.has("set_epoch"):
        return
    for source in sources(loop):
        sampler = sampler_of(source, context)
        if sampler is not None:
            edit = context.line_before(loop.body[0], f"{sampler}.set_epoch({loop.target.id})")
            fix = Fix(f"call {sampler}.set_epoch({loop.target.id})", (edit,), safe=False)
            words = f"every epoch has the same order: call {sampler}.set_epoch({loop.target.id}) at its start"
            yield Finding.at(Span(*span_of(loop).start, *span_of(loop.iter).end), words, fix=fix)
            return


def sources(loop: ast.For) -> list[ast.expr]:
    """What is iterated over within a loop."""
    inside = [part for statement in loop.body for part in ast.walk(statement)]
    return [part.iter for part in inside if isinstance(part, (ast.For, ast.comprehension))]


def sampler_of(node: ast.expr, context: Context) -> str | None:
    """The name of the shuffling DistributedSampler that a loader draws from."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "enumerate" and node.args:
        return sampler_of(node.args[0], context)
    call = made_by(node, context)
    loader = loader_of(context.file, call) if call else None
    given = loader.given.given.get("sampler") if loader else None
    made = given if isinstance(given, ast.Call) else made_by(given, context)
    if made is None or not (isinstance(given, ast.Name) or isinstance(node, ast.Name)):
        return None
    is_sampler = (context.name_of(made.func) or "").endswith(".DistributedSampler")
    shuffles = all(word.arg not in (None, "shuffle") or is_true(word.value) for word in made.keywords)
    spelt = given.id if isinstance(given, ast.Name) else f"{ast.unparse(node)}.sampler"
    return spelt if is_sampler and shuffles and len(made.args) < 4 else None


def made_by(node: ast.expr | None, context: Context) -> ast.Call | None:
    """The one call that a name was bound to."""
    bindings = context.file.names.bindings(node) if isinstance(node, ast.Name) else []
    value = given_by(bindings[0]) if len(bindings) == 1 else None
    return value if isinstance(value, ast.Call) else None


def is_true(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is True
