"""A model under DistributedDataParallel has a layer that forward does not use.

Why
    DDP waits for a gradient of every parameter. One that never comes makes the next forward raise "Expected to have finished
    reduction in the prior iteration". Use the layer, take it away, or give find_unused_parameters=True, which costs a walk
    over the graph in each step.

Bad
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.main, self.aux = nn.Linear(4, 2), nn.Linear(4, 2)
        def forward(self, x):
            return self.main(x)
    net = nn.parallel.DistributedDataParallel(Net())

Good
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.main = nn.Linear(4, 2)
        def forward(self, x):
            return self.main(x)
    net = nn.parallel.DistributedDataParallel(Net())
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.text import span_of

RULE = Rule("ddp-unused-parameters", Severity.ERROR, Category.TRAINING, entry="guides/compile-and-trace")

DDP = "torch.nn.parallel.DistributedDataParallel"
OPTIONS = frozenset({"find_unused_parameters", "static_graph", None})
GENERIC = frozenset({"modules", "children", "named_children", "named_modules", "_modules", "getattr", "__dict__", "__getattr__"})


@RULE.on(ast.Call)
def waits_for_ever(call: ast.Call, context: Context) -> Findings:
    if context.name_of(call.func) != DDP or not call.args or any(word.arg in OPTIONS for word in call.keywords):
        return
    model = context.value_of(call.args[0])
    owner = model.node if model is not None and model.sure else None
    if not isinstance(owner, ast.ClassDef) or [context.name_of(base) for base in owner.bases] != ["torch.nn.Module"]:
        return
    names = {part.attr for part in ast.walk(owner) if isinstance(part, ast.Attribute)} | {
        part.id for part in ast.walk(owner) if isinstance(part, ast.Name)
    }
    if names & GENERIC or context.file.text.has("requires_grad"):
        return
    for name, bindings in context.file.flow.classes.attributes.get(owner, {}).items():
        value = context.value_of(bindings[0].node) if isinstance(bindings[0].node, ast.Attribute) else None
        trained = value is not None and value.sure and value.name in ("torch.nn.Linear", "torch.nn.Conv2d", "torch.nn.Embedding")
        if len(bindings) == 1 and trained and not is_read(name, context):
            where = (Related(span_of(call), "DDP waits for its gradient"),)
            words = f"forward does not use self.{name}, so DDP waits for its gradient for ever: use it, or take it away"
            yield Finding.at(bindings[0].node, words, related=where)


def is_read(name: str, context: Context) -> bool:
    """Whether anything in the file reads an attribute of this name."""
    return any(isinstance(node.ctx, ast.Load) for node in context.file.index.attributes.get(name, ()))
