"""A module keeps layers before, or without, calling __init__ of nn.Module.

Why
    nn.Module.__init__ makes the dictionaries that layers and parameters are registered in. Without it the first assignment
    raises "cannot assign module before Module.__init__() call".

Bad
    class Net(nn.Module):
        def __init__(self):
            self.fc = nn.Linear(4, 2)

Good
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 2)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.guards import is_guarded
from torch_handbook.source.text import Span, span_of

RULE = Rule("module-missing-super-init", Severity.ERROR, Category.MODULE, entry="guides/own-modules")


@RULE.on(ast.ClassDef)
def too_early(node: ast.ClassDef, context: Context) -> Findings:
    makers = [part for part in node.body if isinstance(part, ast.FunctionDef) and part.name in ("__init__", "__new__")]
    if len(makers) != 1 or makers[0].name != "__init__" or not context.modules.is_module_class(node):
        return
    method = makers[0]
    for statement in method.body:
        if begins(statement):
            return
        if isinstance(statement, ast.Assign) and is_registered(statement, context):
            if is_guarded(context.file, node):
                return
            yield Finding.at(
                statement,
                "nn.Module.__init__ has not run yet, so this raises: call super().__init__() first",
                fix=None if any(begins(other) for other in method.body) else called_first(method, context),
            )
            return


def begins(statement: ast.stmt) -> bool:
    """Whether a statement may call __init__ of a base, itself or in a method of the class."""
    if is_uncalled(statement):
        return False
    for part in ast.walk(statement):
        if isinstance(part, ast.Attribute) and (part.attr.startswith("__") or part.attr in ("_modules", "_parameters")):
            return True
        function = part.func if isinstance(part, ast.Call) else None
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "self":
            return True
    return False


def is_uncalled(statement: ast.stmt) -> bool:
    """Whether it is `super().__init__`, without brackets."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Attribute) and statement.value.attr == "__init__"


def is_registered(statement: ast.Assign, context: Context) -> bool:
    target = statement.targets[0]
    own = isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self"
    if not own or not isinstance(statement.value, ast.Call):
        return False
    parameter = context.name_of(statement.value.func) in ("torch.nn.Parameter", "torch.nn.parameter.Parameter")
    return parameter or context.modules.made_by(statement.value) is not None


def called_first(method: ast.FunctionDef, context: Context) -> Fix:
    """super().__init__() before everything but the docstring; where it stands without brackets, these."""
    named = next((part for part in method.body if is_uncalled(part)), None)
    if named is not None:
        end = span_of(named).end
        return Fix("call super().__init__", (Edit(Span(*end, *end), "()"),))
    texts = [part for part in method.body if isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)]
    first = method.body[1] if texts and texts[0] is method.body[0] and len(method.body) > 1 else method.body[0]
    return Fix("call super().__init__() first", (context.line_before(first, "super().__init__()"),))
