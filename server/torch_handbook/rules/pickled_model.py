"""A whole model is pickled.

Why
    The file then holds no code, only the name of the class: it breaks when that is moved or renamed, and it can be read only by
    running what the file says, which torch.load refuses since 2.6. Save state_dict(), and build the model in code.

Bad
    model = nn.Linear(4, 2)
    torch.save(model, "model.pt")

Good
    model = nn.Linear(4, 2)
    torch.save(model.state_dict(), "model.pt")
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.guards import is_guarded
from torch_handbook.source.text import span_of

RULE = Rule("pickled-model", Severity.WARNING, Category.SECURITY, entry="guides/security")
LOADED = "torch.load"
COPIES = ("torch.jit.script", "torch.jit.trace", "torch.jit.load")  # TorchScript has a format of its own


@RULE.on(ast.Call)
def saved_whole(call: ast.Call, context: Context) -> Findings:
    if context.name_of(call.func) != "torch.save" or not call.args or is_guarded(context.file, call):
        return
    node = call.args[0]
    value = context.value_of(node)
    if (
        value is None
        or not value.sure
        or value.base != "torch.nn.Module"
        or any(word.arg == "pickle_module" for word in call.keywords)
    ):
        return
    if any(context.name_of(part) in COPIES for part in ast.walk(node) if isinstance(part, ast.expr)):
        return
    shown = context.text_of(node)
    # Who reads the file back as a model in this file must change that too.
    read = any(context.name_of(other.func) == LOADED for other in context.file.index.all(ast.Call))
    simple = isinstance(node, (ast.Name, ast.Attribute)) and not read
    fix = Fix("save its state_dict()", (Edit(span_of(node), f"{shown}.state_dict()"),), safe=False) if simple else None
    yield Finding.at(
        call, f"{shown} is pickled with the name of its class, and torch.load refuses that: save its state_dict()", fix=fix
    )
