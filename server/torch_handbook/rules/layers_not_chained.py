"""In a loop over layers each layer gets the first input.

Why
    out = layer(x) gives every layer the same x and keeps only what the last one made of it: the others are computed for nothing
    and get no gradient. Chain them: x = layer(x).

Bad
    class Deep(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])

        def forward(self, x):
            for layer in self.layers:
                out = layer(x)
            return out

Good
    class Deep(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])

        def forward(self, x):
            for layer in self.layers:
                x = layer(x)
            return x
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity

RULE = Rule("layers-not-chained", Severity.ERROR, Category.MODULE, entry="torch.nn.ModuleList")


@RULE.on(ast.For)
def walked(loop: ast.For, context: Context) -> Findings:
    layer = loop.target
    made = context.value_of(loop.iter)
    if not isinstance(layer, ast.Name) or made is None or made.name not in ("torch.nn.ModuleList", "torch.nn.Sequential"):
        return
    if len(loop.body) != 1 or loop.orelse or not made.sure:
        return
    statement = loop.body[0]
    call = statement.value if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if not isinstance(call, ast.Call) or not isinstance(target, ast.Name) or not isinstance(call.func, ast.Name):
        return
    given = [*call.args, *(word.value for word in call.keywords)]
    read = {part.id for one in given for part in ast.walk(one) if isinstance(part, ast.Name)}
    if call.func.id != layer.id or not read or target.id in read or layer.id in read or target.id == layer.id:
        return
    first = call.args[0] if call.args else None
    if isinstance(first, ast.Name) and is_read_after(target, loop, context) and not is_watched(loop, context):
        words = f"each layer gets {first.id}, and {target.id} is only what the last one made of it:"
        words += f" {first.id} = {layer.id}({first.id})"
        yield Finding.at(statement, words)


def is_read_after(target: ast.Name, loop: ast.For, context: Context) -> bool:
    uses = context.callers.names.get(target.id, ())
    scope = context.file.scope_of(target)
    return any(use.lineno > (loop.end_lineno or loop.lineno) and context.file.scope_of(use) is scope for use in uses)


def is_watched(loop: ast.For, context: Context) -> bool:
    """Whether a hook, or what decorates the method, may take what each layer gives."""
    method = context.file.enclosing(loop, ast.FunctionDef, ast.AsyncFunctionDef)
    decorated = isinstance(method, ast.FunctionDef) and bool(method.decorator_list)
    return decorated or context.file.text.has("_hook")
