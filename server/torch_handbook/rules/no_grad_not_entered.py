"""A context manager is made and not entered.

Why
    torch.no_grad() alone on a line makes an object and drops it: gradients stay on. It has to stand behind `with`, or before a
    function as a decorator.

Bad
    model = nn.Linear(4, 2)
    torch.no_grad()
    scores = model(torch.randn(3, 4))

Good
    model = nn.Linear(4, 2)
    with torch.no_grad():
        scores = model(torch.randn(3, 4))
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity

RULE = Rule("no-grad-not-entered", Severity.WARNING, Category.AUTOGRAD, entry="torch.no_grad")

# torch.set_grad_enabled is not among them: it acts when it is called.
MANAGERS = frozenset({"torch.no_grad", "torch.enable_grad", "torch.inference_mode", "torch.autocast", "torch.amp.autocast"})


@RULE.on(ast.Expr)
def dropped(statement: ast.Expr, context: Context) -> Findings:
    call = statement.value
    name = context.name_of(call.func) if isinstance(call, ast.Call) else context.name_of(call)
    if name in MANAGERS:
        shown = ast.unparse(call.func if isinstance(call, ast.Call) else call)
        yield Finding.at(statement, f"this does nothing: write `with {shown}(…):` around what it is meant for")
