"""nn.Sequential is given one list in the place of its modules.

Why
    Sequential takes each module as an argument of its own, or one OrderedDict. A list is no module, and it raises TypeError as
    soon as the network is made. nn.ModuleList takes the list itself, but is no layer that can be called.

Bad
    layers = [nn.Linear(4, 4), nn.ReLU()]
    net = nn.Sequential(layers)

Good
    layers = [nn.Linear(4, 4), nn.ReLU()]
    net = nn.Sequential(*layers)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.origins import given_by
from torch_handbook.source.text import Span, span_of

RULE = Rule("sequential-of-list", Severity.ERROR, Category.MODULE, entry="torch.nn.Sequential")


@RULE.on(ast.Call)
def listed(call: ast.Call, context: Context) -> Findings:
    if len(call.args) != 1 or call.keywords or context.name_of(call.func) != "torch.nn.Sequential":
        return
    given = call.args[0]
    if is_list(given, context):
        start = span_of(given).start
        edits = (Edit(Span(*start, *start), "*"),)
        words = f"Sequential takes modules one by one, and {shown(given, context)} is a list: give *{shown(given, context)}"
        yield Finding.at(given, words, fix=Fix("give each of them", edits))


def shown(given: ast.expr, context: Context) -> str:
    return context.text_of(given) if isinstance(given, (ast.Name, ast.Attribute)) else "[…]"


def is_list(node: ast.expr, context: Context) -> bool:
    """Whether it is a list of this file, wherever it is used."""
    if isinstance(node, (ast.List, ast.ListComp)):
        return True
    bindings = context.file.names.bindings(node) if isinstance(node, ast.Name) else []
    given = [given_by(binding) if binding.kind == "assign" else None for binding in bindings]
    return bool(given) and all(isinstance(one, (ast.List, ast.ListComp)) for one in given)
