"""A generator is saved.

Why
    parameters(), named_parameters() and their like give a generator, and a generator cannot be pickled: torch.save raises
    TypeError at the end of the training. The weights with their names are model.state_dict().

Bad
    model = nn.Linear(4, 2)
    torch.save(model.parameters(), "weights.pt")

Good
    model = nn.Linear(4, 2)
    torch.save(model.state_dict(), "weights.pt")
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.guards import is_guarded
from torch_handbook.source.text import span_of
from torch_handbook.source.torch_names import words

RULE = Rule("generator-saved", Severity.ERROR, Category.SERIALIZATION, entry="guides/checkpoints")
METHODS = words("parameters named_parameters buffers named_buffers children named_children modules named_modules")
SAVES = ("torch.save", "pickle.dump", "pickle.dumps")


@RULE.on(ast.Call)
def saved(call: ast.Call, context: Context) -> Findings:
    if not call.args or context.name_of(call.func) not in SAVES or is_guarded(context.file, call):
        return
    whole = context.assigned(call.args[0])
    for part in parts(whole) if isinstance(whole, (ast.Dict, ast.Tuple, ast.List)) else call.args[:1]:
        made = context.assigned(part)
        if isinstance(made, ast.GeneratorExp):
            yield Finding.at(part, "a generator cannot be saved, this raises TypeError: put it into square brackets")
        elif isinstance(made, ast.Call) and (owner := owner_of(made, context)) is not None:
            text = context.text_of(made)
            named = made is part and isinstance(made.func, ast.Attribute) and made.func.attr.endswith("parameters")
            fix = Fix("save the state_dict", (Edit(span_of(made), f"{owner}.state_dict()"),), safe=False) if named else None
            yield Finding.at(part, f"{text} is a generator, which cannot be saved: save {owner}.state_dict()", fix=fix)


def parts(node: ast.Dict | ast.Tuple | ast.List) -> list[ast.expr]:
    """What is pickled of a dict, a tuple or a list that is written out."""
    return node.values if isinstance(node, ast.Dict) else node.elts


def owner_of(call: ast.Call, context: Context) -> str | None:
    """The network whose generator it is."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in METHODS:
        return None
    value = context.value_of(call.func.value)
    surely = value is not None and value.kind == "instance" and value.base == "torch.nn.Module" and value.sure
    overridden = (
        value is not None
        and isinstance(value.node, ast.ClassDef)
        and context.file.flow.classes.lookup(value.node, call.func.attr)
    )
    return context.text_of(call.func.value) if surely and not overridden else None
