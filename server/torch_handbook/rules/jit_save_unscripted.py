"""torch.jit.save is given a module that was not scripted.

Why
    It writes what torch.jit.script or torch.jit.trace made. A module of your own has nothing to write: AttributeError, or a
    message about ScriptModule, after the training.

Bad
    model = nn.Linear(4, 2)
    torch.jit.save(model, "model.pt")

Good
    model = nn.Linear(4, 2)
    torch.jit.save(torch.jit.script(model), "model.pt")
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.guards import is_guarded

RULE = Rule("jit-save-unscripted", Severity.ERROR, Category.SERIALIZATION, entry="guides/export-and-deployment")


SAME = ("eval", "train", "to", "cuda", "cpu", "float", "half", "requires_grad_")


@RULE.on(ast.Call)
def saved(call: ast.Call, context: Context) -> Findings:
    if context.name_of(call.func) != "torch.jit.save" or not call.args or is_guarded(context.file, call):
        return
    origins = context.origins.of(call.args[0])
    nodes = [constructor(origin.node) for origin in origins]
    value = context.value_of(call.args[0])
    if value is None or value.kind != "instance" or not value.sure or value.base != "torch.nn.Module":
        return
    # Every way in which the name gets its value must be the constructor of a module.
    made = [context.value_of(node.func) for node in nodes if isinstance(node, ast.Call)]
    if len(made) == len(origins) and made and all(one is not None and one.kind == "class" for one in made):
        shown = context.text_of(call.args[0])
        yield Finding.at(call.args[0], f"{shown} was not scripted, and jit.save raises: give it torch.jit.script({shown})")


def constructor(node: ast.expr) -> ast.expr:
    """What a module is before methods that give it back: `Net()` of `Net().eval()`."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in SAME:
        node = node.func.value
    return node
