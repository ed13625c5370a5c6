"""A network is trained past its DistributedDataParallel wrapper.

Why
    The wrapper's forward is what prepares the exchange of gradients. `ddp.module(x)` runs the inner network alone: each process
    then trains a network of its own, and they drift apart without a word. SyncBatchNorm must replace the batch norms before the
    network is wrapped.

Bad
    ddp = torch.nn.parallel.DistributedDataParallel(model)
    for x, y in loader:
        optimizer.zero_grad()
        F.mse_loss(ddp.module(x), y).backward()
        optimizer.step()

Good
    ddp = torch.nn.parallel.DistributedDataParallel(model)
    for x, y in loader:
        optimizer.zero_grad()
        F.mse_loss(ddp(x), y).backward()
        optimizer.step()
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.steps import LOOPS
from torch_handbook.source.text import Span, span_of

RULE = Rule(
    "wrapper-bypassed",
    Severity.ERROR,
    Category.TRAINING,
    entry="guides/distributed-work",
    covers=("sync-batchnorm-after-ddp",),
)
DDP = "torch.nn.parallel.DistributedDataParallel"


@RULE.on(ast.Call)
def bypassed(call: ast.Call, context: Context) -> Findings:
    """`ddp.module(x)` in a loop that runs backward and steps."""
    inner = call.func
    loop = context.file.enclosing(call, *LOOPS)
    if not isinstance(inner, ast.Attribute) or inner.attr != "module" or not isinstance(loop, LOOPS):
        return
    kinds = {step.kind for step in context.steps.of(loop.body)}
    if "backward" not in kinds or not kinds & {"step", "scaled-step"} or not is_ddp(inner.value, context):
        return
    if context.gradients.off_at(call) or calls_wrapper(inner.value, loop, context):
        return
    shown = context.text_of(inner.value)
    edits = (Edit(Span(*span_of(inner.value).end, *span_of(inner).end), ""),)
    words = (
        f"{context.text_of(inner)} runs past the wrapper, so gradients are not exchanged between the processes: call {shown}(…)"
    )
    yield Finding.at(call, words, fix=Fix(f"call {shown}", edits, safe=False))


def is_ddp(node: ast.expr, context: Context) -> bool:
    values = context.origins.instances(node)
    return bool(values) and all(value.name == DDP and value.sure for value in values)


def calls_wrapper(owner: ast.expr, loop: ast.AST, context: Context) -> bool:
    """Whether the loop runs the wrapper as well."""
    written = ast.unparse(owner)
    return any(ast.unparse(call.func) == written for call in context.file.index.inside(loop, ast.Call))


@RULE.on(ast.Call)
def converted(call: ast.Call, context: Context) -> Findings:
    name = context.name_of(call.func) or ""
    if name.endswith("SyncBatchNorm.convert_sync_batchnorm") and call.args and is_ddp(call.args[0], context):
        shown = context.text_of(call.args[0])
        words = (
            f"{shown} is wrapped already, and its wrapper keeps track of the old layers: convert the network before it is wrapped"
        )
        yield Finding.at(call, words, kind="sync-batchnorm-after-ddp")
