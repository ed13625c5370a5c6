"""A layer is made anew in each forward.

Why
    A layer with weights that is made in forward is random at each call, is never trained, moved or saved. A Dropout or BatchNorm
    made there is always in training mode, whatever eval() says, since its owner does not know it. Layers are made in __init__
    and kept in attributes.

Bad
    class Net(nn.Module):
        def forward(self, x):
            return nn.Linear(4, 2)(x)

Good
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 2)

        def forward(self, x):
            return self.fc(x)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity

RULE = Rule(
    "layer-created-in-forward",
    Severity.ERROR,
    Category.MODULE,
    entry="torch.nn.Module",
    covers=("stateful-module-in-forward",),
)

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
DROPOUTS = frozenset(f"torch.nn.{name}" for name in ("Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout"))


@RULE.on(ast.Call)
def made_in_forward(call: ast.Call, context: Context) -> Findings:
    made = context.modules.made_by(call)
    if not isinstance(made, str) or not context.modules.keeps_state(call):
        return
    method = context.file.enclosing(call, *FUNCTIONS)
    owner = context.file.parent_of(method) if method is not None else None
    if not isinstance(method, ast.FunctionDef) or method.name != "forward" or not isinstance(owner, ast.ClassDef):
        return
    if not context.modules.is_module_class(owner) or not is_used_at_once(call, method, context):
        return
    short = ast.unparse(call.func)
    if made in DROPOUTS:
        words = f"this {short} is always in training mode, since it is made in forward: make it in __init__"
        yield Finding.at(call, words, kind="stateful-module-in-forward")
    else:
        yield Finding.at(call, f"this {short} is new and random in each forward, and never trained: make it in __init__")


def is_used_at_once(call: ast.Call, method: ast.FunctionDef, context: Context) -> bool:
    """Whether the layer is called there and then, or by a name that nothing else touches: nobody sets its weights."""
    parent = context.file.parent_of(call)
    if isinstance(parent, ast.Call):
        return parent.func is call
    if not isinstance(parent, ast.Assign) or len(parent.targets) != 1 or not isinstance(parent.targets[0], ast.Name):
        return False
    name = parent.targets[0].id
    uses = [
        node for node in ast.walk(method) if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
    ]
    return bool(uses) and all(is_called(use, context) for use in uses)


def is_called(use: ast.Name, context: Context) -> bool:
    parent = context.file.parent_of(use)
    return isinstance(parent, ast.Call) and parent.func is use
