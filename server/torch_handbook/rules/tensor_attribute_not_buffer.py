"""A constant tensor of a module is no buffer, and stays behind when the module moves.

Why
    to(), cuda() and double() move parameters and buffers only. A plain tensor attribute stays on the CPU and in its dtype,
    and meets activations that have moved. register_buffer keeps it with the module; persistent=False leaves it out of the
    checkpoint.

Bad
    class Cosine(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(3, 3)
            self.table = torch.cos(torch.arange(3.0))

        def forward(self, x):
            return self.fc(x) * self.table

Good
    class Cosine(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(3, 3)
            self.register_buffer("table", torch.cos(torch.arange(3.0)))

        def forward(self, x):
            return self.fc(x) * self.table
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.scopes import Binding
from torch_handbook.source.text import Span, span_of

RULE = Rule("tensor-attribute-not-buffer", Severity.WARNING, Category.MODULE, entry="guides/own-modules")

MOVERS = frozenset({"_apply", "to", "cuda"})
HANDED = frozenset(
    {"to", "cuda", "device", "type_as", "clone", "item", "tolist", "numpy", "cpu", "requires_grad", "requires_grad_"}
)


@RULE.on(ast.ClassDef)
def stays_behind(node: ast.ClassDef, context: Context) -> Findings:
    if not context.modules.is_module_class(node) or not keeps_parameters(node, context):
        return
    if any(isinstance(part, ast.FunctionDef) and part.name in MOVERS for part in node.body):
        return
    for name, bindings in context.file.flow.classes.attributes.get(node, {}).items():
        if len(bindings) != 1 or not isinstance(bindings[0].node, ast.Attribute) or not is_constant(bindings[0], context):
            continue
        uses = [use for use in uses_of(node, name, context) if isinstance(use.ctx, ast.Load)]
        if uses and all(meets(use, context) for use in uses):
            words = f"self.{name} stays where it is when the module moves: register it, self.register_buffer({name!r}, …)"
            yield Finding.at(bindings[0].node, words, fix=as_buffer(bindings[0], context))


def keeps_parameters(node: ast.ClassDef, context: Context) -> bool:
    """Whether the class itself has parameters or layers, and so will be moved."""
    return any(
        context.name_of(part.func) == "torch.nn.Parameter" or context.modules.keeps_state(part)
        for part in context.file.index.inside(node, ast.Call)
    )


def is_constant(binding: Binding, context: Context) -> bool:
    """Whether an attribute is given, in __init__, a tensor with axes that is made there and says nothing of a device."""
    value = binding.value
    method = context.file.enclosing(binding.node, ast.FunctionDef)
    if not isinstance(method, ast.FunctionDef) or method.name != "__init__" or value is None or binding.path != ():
        return False
    found = context.value_of(value)
    if (
        found is None
        or found.kind != "tensor"
        or not found.sure
        or found.name != "torch.Tensor"
        or not isinstance(value, ast.Call)
    ):
        return False
    words = context.text_of(value)
    if "device" in words or "requires_grad" in words or "cuda" in words or "nn." in words:
        return False
    scalar = context.name_of(value.func) == "torch.tensor" and not isinstance(
        value.args[0] if value.args else None, (ast.List, ast.Tuple)
    )
    return not scalar and (context.name_of(value.func) or "").startswith("torch.")


def uses_of(node: ast.ClassDef, name: str, context: Context) -> list[ast.Attribute]:
    return [part for part in context.file.index.inside(node, ast.Attribute) if part.attr == name]


def meets(use: ast.Attribute, context: Context) -> bool:
    """Whether it meets another tensor in arithmetic, as it is, in forward."""
    method = context.file.enclosing(use, ast.FunctionDef)
    whole: ast.expr = use
    parent = context.file.parent_of(whole)
    while isinstance(parent, ast.Subscript) and parent.value is whole:  # a table that is cut to the length of the input
        whole, parent = parent, context.file.parent_of(parent)
    if not isinstance(parent, ast.BinOp) or not isinstance(method, ast.FunctionDef) or method.name != "forward":
        return False
    around = context.file.parent_of(parent)
    if isinstance(around, ast.Attribute) and around.attr in HANDED:
        return False
    other = context.value_of(parent.right if parent.left is whole else parent.left)
    return other is not None and other.kind == "tensor"


def as_buffer(binding: Binding, context: Context) -> Fix | None:
    """register_buffer in the place of the assignment."""
    statement = context.file.parent_of(binding.node)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    value = span_of(statement.value)
    head = Edit(Span(*span_of(statement).start, *value.start), f'self.register_buffer("{binding.name}", ')
    title = "register it as a buffer (state_dict gets a key)"
    return Fix(title, (head, Edit(Span(*value.end, *value.end), ")")), safe=False)
