"""A layer with weights is made and never used.

Why
    It is counted, saved, moved and given to the optimizer, and nothing trains it: mostly another layer was meant in forward, or
    was used twice. DistributedDataParallel even waits for its gradient.

Bad
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Linear(4, 4)
            self.second = nn.Linear(4, 4)

        def forward(self, x):
            return self.first(self.first(x))

Good
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Linear(4, 4)
            self.second = nn.Linear(4, 4)

        def forward(self, x):
            return self.second(self.first(x))
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.torch_names import words

RULE = Rule("layer-never-used", Severity.INFORMATION, Category.MODULE, entry="guides/own-modules")
WEIGHTED = frozenset(
    f"torch.nn.{name}"
    for name in words(
        "Linear Bilinear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d Embedding RNN LSTM GRU RNNCell"
        " LSTMCell GRUCell MultiheadAttention LayerNorm BatchNorm1d BatchNorm2d BatchNorm3d"
    )
)
# What reaches layers without their names, or hands the network on to who may.
OUTSIDE = words("fc head heads classifier last_linear")  # names that others reach for, to replace the last layer
GENERIC = words("modules children named_children named_modules _modules getattr __dict__ __getattr__ setattr")


@RULE.on(ast.ClassDef)
def made(owner: ast.ClassDef, context: Context) -> Findings:
    forward = next((part for part in owner.body if isinstance(part, ast.FunctionDef) and part.name == "forward"), None)
    if forward is None or [context.name_of(base) for base in owner.bases] != ["torch.nn.Module"] or is_open(owner, context):
        return
    if is_in_package(context) and not is_made(owner, context):
        return
    for name, bindings in context.file.flow.classes.attributes.get(owner, {}).items():
        node = bindings[0].node
        value = context.value_of(node) if isinstance(node, ast.Attribute) and len(bindings) == 1 else None
        if value is not None and value.sure and value.name in WEIGHTED and name not in OUTSIDE and not is_read(name, context):
            said = f"nothing uses self.{name}, whose weights are saved and never trained: use it in forward, or take it away"
            yield Finding.at(node, said)


def is_in_package(context: Context) -> bool:
    """Whether the file is a module of a package, whose others may reach for a network's layers: `self.decoder.conv_s0(x)`."""
    return context.file.imports.module(1, "") is not None


def is_made(owner: ast.ClassDef, context: Context) -> bool:
    """Whether the file itself makes the network."""
    return any(isinstance(context.file.parent_of(name), ast.Call) for name in context.callers.names.get(owner.name, ()))


def is_open(owner: ast.ClassDef, context: Context) -> bool:
    """Whether layers may be reached otherwise: by a method that goes through them all, by a class that derives from this one.

    Under DistributedDataParallel ddp-unused-parameters says more.
    """
    if context.file.text.has("DistributedDataParallel"):
        return True
    named = {part.attr for part in ast.walk(owner) if isinstance(part, ast.Attribute)}
    named |= {part.id for part in ast.walk(owner) if isinstance(part, ast.Name)}
    heirs = [base for other in context.file.index.all(ast.ClassDef) for base in other.bases]
    return bool(named & GENERIC) or any(isinstance(base, ast.Name) and base.id == owner.name for base in heirs)


def is_read(name: str, context: Context) -> bool:
    """Whether anything in the file reads an attribute of this name, or speaks of it."""
    read = any(isinstance(node.ctx, ast.Load) for node in context.file.index.attributes.get(name, ()))
    return read or any(isinstance(one.value, str) and name in one.value for one in context.file.index.all(ast.Constant))
