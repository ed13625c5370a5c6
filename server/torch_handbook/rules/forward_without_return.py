"""forward computes something and returns nothing.

Why
    Its last line gives a value to a local name, and a method without return gives None: the loss raises TypeError, or says that
    NoneType has no attribute.

Bad
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 2)

        def forward(self, x):
            x = self.fc(x)

Good
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 2)

        def forward(self, x):
            x = self.fc(x)
            return x
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.text import Span, span_of

RULE = Rule("forward-without-return", Severity.ERROR, Category.MODULE, entry="torch.nn.Module.forward")


@RULE.on(ast.ClassDef)
def ended(node: ast.ClassDef, context: Context) -> Findings:
    if not context.modules.is_module_class(node):
        return
    for method in node.body:
        if not isinstance(method, ast.FunctionDef) or method.name != "forward" or method.decorator_list:
            continue
        last = method.body[-1]
        target = last.targets[0] if isinstance(last, ast.Assign) and len(last.targets) == 1 else None
        if not isinstance(last, ast.Assign) or not isinstance(target, ast.Name) or is_named_outside(target.id, method, context):
            continue
        if any(context.file.index.inside(method, kind) for kind in (ast.Return, ast.Yield, ast.YieldFrom, ast.Raise)):
            continue
        end = span_of(last).end
        fix = Fix(f"return {target.id}", (Edit(Span(*end, *end), f"{context.break_at(last)}return {target.id}"),))
        yield Finding.at(
            last, f"forward ends here and returns nothing, so that calling it gives None: return {target.id}", fix=fix
        )


def is_named_outside(name: str, method: ast.FunctionDef, context: Context) -> bool:
    """Whether the name lives on after the call."""
    outside = [*context.file.index.inside(method, ast.Global), *context.file.index.inside(method, ast.Nonlocal)]
    return any(name in statement.names for statement in outside)
