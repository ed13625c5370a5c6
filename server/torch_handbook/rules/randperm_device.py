"""Indices on the CPU pick from data on a GPU.

Why
    torch.randperm(n) makes its indices on the CPU unless it is told otherwise. Indexing data on a GPU with them copies them over
    and waits for that, each time. `device=data.device` makes them where they are needed.

Bad
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = torch.randn(1000, 8, device=device)
    order = torch.randperm(len(data))
    batch = data[order[:250]]

Good
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = torch.randn(1000, 8, device=device)
    order = torch.randperm(len(data), device=data.device)
    batch = data[order[:250]]
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Related, Rule, Severity
from torch_handbook.source.devices import on_gpu
from torch_handbook.source.origins import given_by
from torch_handbook.source.text import Span, span_of

RULE = Rule("randperm-device", Severity.INFORMATION, Category.DEVICE, entry="torch.randperm")

PARTS = frozenset({"split", "chunk", "view", "reshape", "long", "unbind"})
MAKERS = frozenset({"torch.randperm", "torch.randint"})
DEPTH = 6


@RULE.on(ast.Subscript)
def picked(node: ast.Subscript, context: Context) -> Findings:
    if isinstance(node.slice, (ast.Constant, ast.Slice)):
        return
    place = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
    made = made_by(place, context, DEPTH)
    if made is None or context.file.text.has("set_default_device") or not on_gpu(context.file, node.value):
        return
    name = (context.name_of(made.func) or "").rpartition(".")[2]
    data = context.text_of(node.value)
    words = f"{name} makes its indices on the CPU, and {data} is on the GPU: give device={data}.device"
    related = (Related(span_of(node), f"they pick from {data} here"),)
    yield Finding.at(made, words, fix=on_device(made, node.value, context), related=related)


def on_device(made: ast.Call, data: ast.expr, context: Context) -> Fix | None:
    """Make the indices on the device of the data, where its name means the same there."""
    parts = [*made.args, *made.keywords]
    if not parts or not isinstance(data, ast.Name):
        return None
    if context.file.scope_of(made).find(data.id) is not context.file.scope_of(data).find(data.id):
        return None
    end = span_of(parts[-1]).end
    title = f"draw them on the device of {data.id} (other numbers for the same seed)"
    return Fix(title, (Edit(Span(*end, *end), f", device={data.id}.device"),), safe=False)


def made_by(node: ast.expr, context: Context, depth: int) -> ast.Call | None:
    """The call that made indices, on no device in particular, behind names, slices and loops over their parts."""
    if depth == 0:
        return None
    if isinstance(node, ast.Subscript):
        return made_by(node.value, context, depth - 1)
    if isinstance(node, ast.Name):
        bindings = context.file.names.bindings(node)
        if len(bindings) != 1 or bindings[0].path != () or bindings[0].kind not in ("assign", "for"):
            return None
        value = given_by(bindings[0]) if bindings[0].kind == "assign" else bindings[0].value
        return made_by(value, context, depth - 1) if value is not None else None
    if not isinstance(node, ast.Call):
        return None
    if context.name_of(node.func) in MAKERS:
        return None if any(word.arg in ("device", "out", None) for word in node.keywords) else node
    if isinstance(node.func, ast.Attribute) and node.func.attr in PARTS and context.name_of(node.func) is None:
        return made_by(node.func.value, context, depth - 1)
    return None
