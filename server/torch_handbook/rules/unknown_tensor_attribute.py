"""A tensor is asked for what only NumPy arrays or lists have.

Why
    Tensors look like arrays and have many of their methods, but not all, and some under other names: copy is clone, astype is to.
    shape is no method, and size and dim are. The mistake raises AttributeError or TypeError when the line is reached.

Bad
    a = torch.zeros(3)
    b = a.copy()

Good
    a = torch.zeros(3)
    b = a.clone()
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.guards import is_guarded
from torch_handbook.source.text import Span, span_of
from torch_handbook.source.torch_names import members, words

RULE = Rule("unknown-tensor-attribute", Severity.ERROR, Category.DTYPE, entry="guides/from-numpy")
# What arrays and lists have, and how it is said of a tensor.
INSTEAD = {
    "copy": "clone()",
    "astype": "to(dtype)",
    "fill": "fill_(value)",
    "tobytes": "numpy().tobytes()",
    "concatenate": "torch.cat",
    "toarray": "numpy()",
    "asnumpy": "numpy()",
    "to_numpy": "numpy()",
    "get_shape": "shape",
    "as_list": "tolist()",
    "len": "len(…)",
}
PLAIN = words("shape dtype device grad requires_grad is_leaf T ndim")  # no methods
METHODS = words("size dim numel item tolist")  # methods


@RULE.on(ast.Attribute)
def unknown(node: ast.Attribute, context: Context) -> Findings:
    if node.attr not in INSTEAD or not isinstance(node.ctx, ast.Load) or not is_tensor(node.value, context):
        return
    call = context.file.parent_of(node)
    if not isinstance(call, ast.Call) or call.func is not node or is_given_by_file(node, context):
        return
    yield Finding.at(call, f"tensors have no {node.attr}: use {INSTEAD[node.attr]}", fix=renamed(node, call, context))


def renamed(node: ast.Attribute, call: ast.Call, context: Context) -> Fix | None:
    """The method of tensors that takes the same arguments."""
    plain = not call.args and not call.keywords
    typed = len(call.args) == 1 and (context.name_of(call.args[0]) or "").startswith("torch.") and not call.keywords
    new = "clone" if node.attr == "copy" and plain else "to" if node.attr == "astype" and typed else None
    end = span_of(node).end
    return Fix(f"use {new}()", (Edit(Span(end[0], end[1] - len(node.attr), *end), new),)) if new else None


@RULE.on(ast.Call)
def called(call: ast.Call, context: Context) -> Findings:
    """`x.shape(0)`."""
    node = call.func
    if isinstance(node, ast.Attribute) and node.attr in PLAIN and is_tensor(node.value, context):
        yield Finding.at(call, f"{context.text_of(node)} is no method: leave the brackets away, or take square ones for an index")


@RULE.on(ast.Subscript)
def indexed(node: ast.Subscript, context: Context) -> Findings:
    """`x.size[0]`."""
    method = node.value
    if isinstance(method, ast.Attribute) and method.attr in METHODS and is_tensor(method.value, context):
        yield Finding.at(node, f"{context.text_of(method)} is a method: call it, or take shape[…]")


def is_tensor(node: ast.expr, context: Context) -> bool:
    """Whether a function of torch made it. What is only annotated as a tensor may be an array: the method says so."""
    value = context.value_of(node)
    if value is None or value.kind != "tensor" or not value.sure or value.name != "torch.Tensor":
        return False
    origins = context.origins.of(node)
    return bool(origins) and all(origin.name.startswith("torch.") for origin in origins)


def is_given_by_file(node: ast.Attribute, context: Context) -> bool:
    """Whether the file may give tensors this attribute, or asks whether they have it."""
    stored = any(not isinstance(one.ctx, ast.Load) for one in context.file.index.attributes.get(node.attr, ()))
    return stored or is_guarded(context.file, node) or node.attr in members("torch.Tensor")
