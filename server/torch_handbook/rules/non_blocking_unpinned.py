"""A batch is copied without waiting, from memory that is not pinned.

Why
    Only copies from pinned memory can go on beside the CPU. From ordinary memory the copy to the GPU waits in spite of
    non_blocking=True. pin_memory=True in the DataLoader pins its batches.

Bad
    data = torch.utils.data.TensorDataset(torch.zeros(8, 3))
    loader = torch.utils.data.DataLoader(data, batch_size=4)
    for (x,) in loader:
        x = x.to("cuda", non_blocking=True)

Good
    data = torch.utils.data.TensorDataset(torch.zeros(8, 3))
    loader = torch.utils.data.DataLoader(data, batch_size=4, pin_memory=True)
    for (x,) in loader:
        x = x.to("cuda", non_blocking=True)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Related, Rule, Severity
from torch_handbook.source.batches import BatchLoop
from torch_handbook.source.text import Span, span_of

RULE = Rule("non-blocking-unpinned", Severity.INFORMATION, Category.DEVICE, entry="guides/data-loading")


@RULE.on(ast.Call)
def copied(call: ast.Call, context: Context) -> Findings:
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in ("to", "cuda") or not is_asked(call):
        return
    if context.file.text.has("pin_memory()"):
        return
    loop = loop_of(call.func.value, context)
    if loop is None or loop.loader.given.constant("pin_memory", False) is not False or not loop.loader.given.lacks("collate_fn"):
        return
    made = loop.loader.call
    shown = context.text_of(call.func.value)
    words = f"{shown} is not in pinned memory, so the copy waits all the same: give its DataLoader pin_memory=True"
    yield Finding.at(call, words, fix=pinning(loop), related=(Related(span_of(made), "the loader does not pin its batches"),))


def is_asked(call: ast.Call) -> bool:
    return any(
        word.arg == "non_blocking" and isinstance(word.value, ast.Constant) and word.value.value is True for word in call.keywords
    )


def loop_of(node: ast.expr, context: Context) -> BatchLoop | None:
    """The loop over a loader whose batch, or part of it, an expression is."""
    while isinstance(node, ast.Subscript):
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    around = list(context.file.grown.ancestors(node))
    loops = [one for one in context.batches.loops if one.node in around and node.id in one.names]
    source = node if loops else None
    if source is None:
        return None
    bindings = context.file.names.bindings(source)
    return loops[0] if len(bindings) >= 1 and any(binding.kind == "for" for binding in bindings) else None


def pinning(loop: BatchLoop) -> Fix | None:
    call = loop.loader.call
    if "pin_memory" in loop.loader.given.given or not (call.args or call.keywords):
        return None
    end = span_of([*call.args, *call.keywords][-1]).end
    return Fix("pin the batches, pin_memory=True", (Edit(Span(*end, *end), ", pin_memory=True"),), safe=False)
