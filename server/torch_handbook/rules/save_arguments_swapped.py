"""torch.save is given the path first.

Why
    The object comes first, then the file: torch.save(obj, path). The other way round it raises AttributeError, since a
    state_dict cannot be written to.

Bad
    model = nn.Linear(4, 2)
    torch.save("model.pt", model.state_dict())

Good
    model = nn.Linear(4, 2)
    torch.save(model.state_dict(), "model.pt")
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.text import span_of

RULE = Rule("save-arguments-swapped", Severity.ERROR, Category.SERIALIZATION, entry="torch.save")


@RULE.on(ast.Call)
def swapped(call: ast.Call, context: Context) -> Findings:
    if context.name_of(call.func) != "torch.save" or len(call.args) < 2:
        return
    path, thing = call.args[0], call.args[1]
    if is_text(path, context) and is_object(thing, context):
        edits = (Edit(span_of(path), context.text_of(thing)), Edit(span_of(thing), context.text_of(path)))
        words = "torch.save takes the object first and then the path, and this raises: exchange them"
        yield Finding.at(call, words, fix=Fix("exchange them", edits))


def is_text(node: ast.expr, context: Context) -> bool:
    value = context.assigned(node)
    return isinstance(value, ast.JoinedStr) or (isinstance(value, ast.Constant) and isinstance(value.value, str))


def is_object(node: ast.expr, context: Context) -> bool:
    """Whether it is something to save and nothing to write to: a state_dict, a dict, a model, a tensor."""
    made = context.assigned(node)
    if isinstance(made, ast.Dict):
        return True
    if isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute) and made.func.attr == "state_dict":
        return True
    value = context.value_of(node)
    return value is not None and value.sure and (value.kind == "tensor" or value.is_a("torch.nn.Module"))
