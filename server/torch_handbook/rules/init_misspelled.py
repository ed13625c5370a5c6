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

RULE = Rule("init-misspelled", Severity.ERROR, Category.MODULE, entry="guides/own-modules")

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
            words = f"{method.name} is never called, and {node.name} has none of its layers: name it __init__"
            yield Finding.at(Span(*place, place[0], place[1] + len(method.name)), words, fix=Fix("name it __init__", (edit,)))


def begins_a_module(method: ast.FunctionDef) -> bool:
    """Whether it does what only __init__ does: call __init__ of the base."""
    return any(isinstance(part, ast.Attribute) and part.attr == "__init__" for part in ast.walk(method))


def is_used(name: str, context: Context) -> bool:
    return name in context.file.index.attributes
