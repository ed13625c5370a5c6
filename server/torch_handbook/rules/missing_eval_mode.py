"""A network with dropout or batch norm is evaluated in training mode.

Why
    A module is in training mode until eval() is called. Under no_grad dropout goes on dropping, and batch norm goes on using and
    updating the statistics of the batch: results differ from call to call and from what the trained network gives.

Bad
    model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 2))
    def validate(model, x):
        with torch.no_grad():
            return model(x)
    print(validate(model, torch.ones(1, 4)))

Good
    model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 2))
    def validate(model, x):
        model.eval()
        with torch.no_grad():
            return model(x)
    print(validate(model, torch.ones(1, 4)))
    model.train()
"""

from __future__ import annotations

import ast
import re

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.value import Value

RULE = Rule("missing-eval-mode", Severity.WARNING, Category.TRAINING, entry="torch.nn.Module")
MODAL = re.compile(r"torch\.nn\.(?:(?:Feature)?(?:Alpha)?Dropout[123]?d?|(?:Sync)?BatchNorm[123]?d?)")
# Whoever writes one of these knows of modes.
SETTING = frozenset({"eval", "training", "momentum", "reset_running_stats", "update_bn"})


@RULE.on(ast.Call)
def called(call: ast.Call, context: Context) -> Findings:
    if not isinstance(call.func, ast.Name) or context.name_of(call.func) is not None or not is_off(call, context):
        return
    if context.file.flow.classes.owner_of(call.func) is not None:
        return  # `self(x)`: the mode is for whoever calls the method to say
    values = context.origins.instances(call.func)
    modal = bool(values) and all(has_mode(value, context) for value in values)
    if modal and not speaks_of_modes(context) and not is_adversarial(context):
        shown = call.func.id
        words = f"{shown} is in training mode here: its dropout drops and its batch norm takes the statistics of this batch."
        yield Finding.at(call, f"{words} Call {shown}.eval() before")


def is_off(call: ast.Call, context: Context) -> bool:
    """Whether it certainly runs without gradients, and its result is used."""
    if isinstance(context.file.parent_of(call), ast.Expr) and not is_norm(call, context):
        return False
    for around in context.file.grown.ancestors(call):
        expressions = [item.context_expr for item in around.items] if isinstance(around, ast.With) else []
        if isinstance(around, (ast.FunctionDef, ast.AsyncFunctionDef)):
            expressions = around.decorator_list
        heads = [one.func if isinstance(one, ast.Call) else one for one in expressions]
        if any(context.name_of(head) in ("torch.no_grad", "torch.inference_mode") for head in heads):
            return True
        if isinstance(around, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            return False
    return False


def is_adversarial(context: Context) -> bool:
    """Whether two networks are trained against each other: pictures are drawn from a generator as it is while it learns."""
    trained: set[str] = set()
    for call in context.file.index.inside(context.file.tree, ast.Call):
        first = call.args[0] if call.args and (context.name_of(call.func) or "").startswith("torch.optim.") else None
        if isinstance(first, ast.Call) and isinstance(first.func, ast.Attribute) and first.func.attr == "parameters":
            trained.add(ast.unparse(first.func.value))
    return len(trained) > 1


def is_norm(call: ast.Call, context: Context) -> bool:
    value = context.value_of(call.func)
    return value is not None and MODAL.fullmatch(value.name) is not None


def has_mode(value: Value, context: Context) -> bool:
    """Whether a module of torch.nn or of this file behaves otherwise in training, or one in it does."""
    if isinstance(value.node, ast.ClassDef):
        made = [context.name_of(call.func) for call in context.file.index.inside(value.node, ast.Call)]
        return value.base == "torch.nn.Module" and any(name is not None and MODAL.fullmatch(name) for name in made)
    inner = any(item is not None and has_mode(item, context) for item in value.items)
    return value.name.startswith("torch.nn.") and (inner or MODAL.fullmatch(value.name) is not None)


def speaks_of_modes(context: Context) -> bool:
    """Whether the file sets or asks for the mode of anything, other than to train."""
    if not SETTING.isdisjoint(context.file.index.attributes):
        return True
    return not all(is_plain_call(node, context) for node in context.file.index.attributes.get("train", ()))


def is_plain_call(node: ast.expr, context: Context) -> bool:
    """Whether it is `net.train()`, and not `net.train(False)`, nor a flag or function that is called so."""
    call = context.file.parent_of(node)
    return isinstance(call, ast.Call) and call.func is node and not call.args and not call.keywords
