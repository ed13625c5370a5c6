"""A model is traced in training mode.

Why
    torch.jit.trace records what the mode does: the dropout of a model that was not put into eval() stays random in the trace
    for good, and BatchNorm uses the batch. Call eval() first.

Bad
    net = nn.Sequential(nn.Linear(6, 6), nn.Dropout(0.5))
    traced = torch.jit.trace(net, torch.randn(1, 6))

Good
    net = nn.Sequential(nn.Linear(6, 6), nn.Dropout(0.5)).eval()
    traced = torch.jit.trace(net, torch.randn(1, 6))
"""

from __future__ import annotations

import ast
import re

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.origins import given_by

RULE = Rule("trace-in-train-mode", Severity.WARNING, Category.TRAINING, entry="guides/compile-and-trace")

MODAL = re.compile(r"torch\.nn\.(?:\w*Dropout\w*|BatchNorm\dd|SyncBatchNorm)")


@RULE.on(ast.Call)
def in_training(call: ast.Call, context: Context) -> Findings:
    if context.name_of(call.func) != "torch.jit.trace" or not call.args or context.file.text.has(".eval()"):
        return
    if context.file.text.has(".train("):
        return
    node = call.args[0]
    bindings = context.file.names.bindings(node) if isinstance(node, ast.Name) else []
    made = given_by(bindings[0]) if len(bindings) == 1 else node
    if isinstance(made, ast.Call) and has_mode(made, context):
        name = context.text_of(node)
        yield Finding.at(
            call, f"{name} is in training mode, and its dropout or BatchNorm stays so in the trace: call eval() first"
        )


def has_mode(made: ast.Call, context: Context) -> bool:
    """Whether a module, or a part of it, does different things in training."""
    kind = context.modules.made_by(made)
    place: ast.AST = kind if isinstance(kind, ast.ClassDef) else made
    if kind is None:
        return False
    return any(isinstance(part, ast.Call) and MODAL.fullmatch(context.name_of(part.func) or "") for part in ast.walk(place))
