"""A buffer is kept a second time, in a list or under another name.

Why
    to(), cuda() and double() put new tensors in the place of a module's buffers. A list or attribute that holds the old one
    keeps it: wrong device, wrong dtype. Keep the name, and get the buffer when it is needed. (Parameters stay the same
    objects.)

Bad
    class Anchors(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("small", torch.ones(2))
            self.levels = [self.small]

Good
    class Anchors(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("small", torch.ones(2))
            self.levels = ["small"]
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity

RULE = Rule("stale-buffer-reference", Severity.WARNING, Category.MODULE, entry="guides/own-modules")


@RULE.on(ast.ClassDef)
def kept_twice(node: ast.ClassDef, context: Context) -> Findings:
    method = next((part for part in node.body if isinstance(part, ast.FunctionDef) and part.name == "__init__"), None)
    if method is None or not context.modules.is_module_class(node):
        return
    buffers = registered(method, context)
    if not buffers or any(isinstance(part, ast.FunctionDef) and part.name in ("_apply", "to") for part in node.body):
        return
    for part in ast.walk(method):
        for value in kept(part):
            name = buffer_of(value, buffers)
            if name is not None:
                words = f"this stays the old tensor when the module moves, and {name} is a new one: keep its name instead"
                yield Finding.at(value, words)


def registered(method: ast.FunctionDef, context: Context) -> set[str]:
    """The buffers that a method registers; of names made by an f-string the source."""
    found: set[str] = set()
    for part in context.file.index.inside(method, ast.Call):
        if isinstance(part.func, ast.Attribute) and part.func.attr == "register_buffer" and part.args:
            first = part.args[0]
            found.add(str(first.value) if isinstance(first, ast.Constant) else ast.unparse(first))
    return found


def kept(node: ast.AST) -> list[ast.expr]:
    """What a statement keeps on self: the elements of a list, or what is appended to one."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "append":
        return node.args if is_own(node.func.value) else []
    if isinstance(node, ast.Assign) and is_own(node.targets[0]):
        return node.value.elts if isinstance(node.value, (ast.List, ast.Tuple)) else [node.value]
    return []


def is_own(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def buffer_of(value: ast.expr, buffers: set[str]) -> str | None:
    """The buffer that an expression is: `self.mask`, `getattr(self, name)`."""
    if isinstance(value, ast.Attribute) and is_own(value):
        return f"self.{value.attr}" if value.attr in buffers else None
    called = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "getattr"
    if called and isinstance(value, ast.Call) and len(value.args) == 2 and ast.unparse(value.args[0]) == "self":
        return "the buffer" if ast.unparse(value.args[1]) in buffers else None
    return None
