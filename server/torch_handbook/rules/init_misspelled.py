"""The name of __init__ is misspelled, so it is never called.

Why
    Python knows only __init__, with two underscores on each side. Under another name the layers are never made, and nothing
    says so until forward looks for them.

Bad
    class Net(nn.Module):
        def _init_(self):
            super().__init__()
            self.fc = nn.Linear(4, 2)

Good
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 2)
"""

from __future__ import annotations

import ast
import re

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.text import Span, span_of
from torch_handbook.source.torch_names import words

RULE = Rule("init-misspelled", Severity.ERROR, Category.MODULE, entry="guides/own-modules", covers=("forward-misspelled",))

MISSPELT = words(
    "foward forwad forwrd forwards fowrard forwrad forwardd fordward forword farward froward forard Forward forward_ _forward"
)
ALIKE = re.compile(r"_*(?:init|int|inti|intit|initt|iint)_*")


@RULE.on(ast.ClassDef)
def never_called(node: ast.ClassDef, context: Context) -> Findings:
    methods = [part for part in node.body if isinstance(part, ast.FunctionDef)]
    if any(method.name == "__init__" for method in methods) or not context.modules.is_module_class(node):
        return
    for method in methods:
        if ALIKE.fullmatch(method.name) and begins_a_module(method) and not is_used(method.name, context):
            place = span_of(method).line, span_of(method).column + len("def ")
            edit = Edit(Span(*place, place[0], place[1] + len(method.name)), "__init__")
            told = f"{method.name} is never called, and {node.name} has none of its layers: name it __init__"
            yield Finding.at(Span(*place, place[0], place[1] + len(method.name)), told, fix=Fix("name it __init__", (edit,)))


@RULE.on(ast.ClassDef)
def never_run(node: ast.ClassDef, context: Context) -> Findings:
    """A module without forward, of which one method is nearly called so."""
    if not context.modules.is_module_class(node) or node.decorator_list:
        return
    bases = [context.name_of(base) for base in node.bases]
    methods = [part for part in node.body if isinstance(part, ast.FunctionDef)]
    if bases != ["torch.nn.Module"] or any(method.name in ("forward", "__call__", "_call_impl") for method in methods):
        return
    near = [method for method in methods if method.name in MISSPELT and not is_used(method.name, context)]
    for method in near[:1]:
        place = span_of(method).line, span_of(method).column + len("def ")
        span = Span(*place, place[0], place[1] + len(method.name))
        told = f"{node.name} has no forward, so calling it raises: name {method.name} forward"
        yield Finding.at(span, told, fix=Fix("name it forward", (Edit(span, "forward"),)), kind="forward-misspelled")


def begins_a_module(method: ast.FunctionDef) -> bool:
    """Whether it does what only __init__ does: call __init__ of the base."""
    return any(isinstance(part, ast.Attribute) and part.attr == "__init__" for part in ast.walk(method))


def is_used(name: str, context: Context) -> bool:
    return name in context.file.index.attributes
