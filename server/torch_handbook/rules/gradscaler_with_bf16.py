"""Gradients are scaled although autocast computes in bfloat16.

Why
    The scaler is there because float16 has no small numbers. bfloat16 has the range of float32: scaling does nothing for it but
    cost a check of all gradients in each step, and skip steps while the scale is being found.

Bad
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu")
    for _ in range(10):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = model(torch.randn(8, 3)).pow(2).mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()

Good
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(10):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = model(torch.randn(8, 3)).pow(2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.scalers import Scalers
from torch_handbook.source.text import span_of

RULE = Rule("gradscaler-with-bf16", Severity.INFORMATION, Category.TRAINING, entry="guides/mixed-precision")


@RULE.on(ast.Module)
def scaled(module: ast.Module, context: Context) -> Findings:
    """A file with one scaler, used in a loop of its own scope, all of whose autocasts are in bfloat16."""
    made = Scalers(context.file).made
    casts = [call for call in context.steps.calls if is_autocast(call, context)]
    if len(made) == 1 and casts and all(is_bf16(call, context) for call in casts) and only_scales(made[0], context):
        words = "autocast computes in bfloat16, which needs no scaling: leave the scaler out"
        yield Finding.at(made[0], words, related=[Related(span_of(casts[0]), "in bfloat16 here")])


def is_autocast(call: ast.Call, context: Context) -> bool:
    name = context.name_of(call.func) or ""
    return name.endswith(".autocast") or (isinstance(call.func, ast.Attribute) and call.func.attr == "autocast")


def is_bf16(call: ast.Call, context: Context) -> bool:
    given = [keyword.value for keyword in call.keywords if keyword.arg == "dtype"] or call.args[1:2]
    return bool(given) and context.name_of(given[0]) == "torch.bfloat16"


def only_scales(made: ast.Call, context: Context) -> bool:
    """Whether the scaler has a name of its own, scales in a loop, and serves nothing else, such as tests of itself."""
    statement = context.file.parent_of(made)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    methods = Scalers(context.file).methods_of(ast.Name(target.id, ast.Load())) if isinstance(target, ast.Name) else None
    if target is None or methods is None or methods - {"get_scale", "state_dict"} != {"scale", "step", "update"}:
        return False
    scopes = [context.file.scope_of(target)]
    return any(
        isinstance(call.func, ast.Attribute)
        and call.func.attr == "scale"
        and context.file.scope_of(call) in scopes
        and context.file.enclosing(call, ast.For, ast.While) is not None
        for call in context.steps.calls
    )
