"""load_state_dict is given the name of a file.

Why
    It wants the dict that torch.load reads from the file, and raises TypeError for a path.

Bad
    model = nn.Linear(4, 2)
    model.load_state_dict("weights.pt")

Good
    model = nn.Linear(4, 2)
    model.load_state_dict(torch.load("weights.pt"))
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.origins import given_by
from torch_handbook.source.text import Span, span_of

RULE = Rule("load-state-dict-wrong-arg", Severity.ERROR, Category.SERIALIZATION, entry="torch.load")

PATHS = frozenset({"os.path.join", "os.path.abspath", "os.path.expanduser", "pathlib.Path", "str"})


@RULE.on(ast.Call)
def given_a_path(call: ast.Call, context: Context) -> Findings:
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "load_state_dict" or not call.args:
        return
    given = call.args[0]
    if not is_path(given, context):
        return
    load = context.spell("torch.load", call)
    name = context.text_of(given)
    span = span_of(given)
    edits = (Edit(Span(*span.start, *span.start), f"{load}("), Edit(Span(*span.end, *span.end), ")"))
    fix = Fix(f"load it first: {load}({name})", edits) if load else None
    yield Finding.at(given, f"load_state_dict wants the dict that torch.load reads, but {name} is the name of a file", fix=fix)


def is_path(node: ast.expr, context: Context, depth: int = 4) -> bool:
    """Whether an expression is surely a path: a string, or what joins one; a parameter if all its callers give one."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    if isinstance(node, ast.JoinedStr):
        return True
    if isinstance(node, ast.Call):
        return context.name_of(node.func) in PATHS
    if not isinstance(node, ast.Name) or depth == 0:
        return False
    found: list[bool] = []
    for binding in context.file.names.bindings(node):
        if binding.kind == "parameter":
            given = context.callers.arguments_of(binding)
            found.append(bool(given) and all(is_path(one, context, depth - 1) for one in given or ()))
        else:
            value = given_by(binding)
            found.append(value is not None and is_path(value, context, depth - 1))
    return bool(found) and all(found)
