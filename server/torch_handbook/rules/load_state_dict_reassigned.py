"""What load_state_dict returns is taken for the model.

Why
    load_state_dict fills the model that it is called on, and returns the names of missing and unexpected keys; for an optimizer
    it returns None. The model is gone after `model = model.load_state_dict(…)`, and the next call of it raises.

Bad
    model = nn.Linear(4, 2)
    model = model.load_state_dict(torch.load("weights.pt"))

Good
    model = nn.Linear(4, 2)
    model.load_state_dict(torch.load("weights.pt"))
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.text import Span, span_of

RULE = Rule("load-state-dict-reassigned", Severity.ERROR, Category.SERIALIZATION, entry="torch.nn.Module")

KEEPERS = frozenset({"torch.nn.Module", "torch.optim.Optimizer"})


@RULE.on(ast.Assign)
def reassigned(statement: ast.Assign, context: Context) -> Findings:
    call = statement.value
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr != "load_state_dict":
        return
    owner = call.func.value
    if len(statement.targets) != 1 or ast.unparse(statement.targets[0]) != ast.unparse(owner):
        return
    base = base_before(owner, statement, context)
    base = base or (kind_by_name(owner) if is_unknown(owner, statement, context) else None)
    if base not in KEEPERS:
        return
    name = ast.unparse(owner)
    words = f"load_state_dict fills {name} and does not return it: {name} is no model after this"
    span, start = span_of(statement), span_of(call).start
    words = words if base == "torch.nn.Module" else words.replace("no model", "no optimizer")
    yield Finding.at(statement, words, fix=Fix(f"remove '{name} ='", (Edit(Span(*span.start, *start), ""),)))


def is_unknown(owner: ast.expr, statement: ast.Assign, context: Context) -> bool:
    """Whether the file tells nothing of it but that this statement gives it a value."""
    if isinstance(owner, ast.Name):
        found = context.file.names.bindings(owner)
        return bool(found) and all(binding.kind == "parameter" or binding.value is statement.value for binding in found)
    return isinstance(owner, ast.Attribute) and context.value_of(owner) is None


def kind_by_name(owner: ast.expr) -> str | None:
    """What only a network or an optimizer is called."""
    last = ast.unparse(owner).rpartition(".")[2].lower()
    if last in ("model", "net", "network", "backbone", "encoder", "decoder") or last.endswith(("_model", "_net")):
        return "torch.nn.Module"
    return "torch.optim.Optimizer" if last in ("optimizer", "optim") else None


def base_before(owner: ast.expr, statement: ast.Assign, context: Context) -> str | None:
    """The torch class of what the method is called on, leaving aside what this very statement makes of it."""
    value = context.value_of(owner)
    if value is not None or not isinstance(owner, ast.Attribute):
        return value.base if value is not None else None
    holder = context.file.flow.classes.owner_of(owner.value)
    bindings = context.file.flow.classes.attributes.get(holder, {}).get(owner.attr, []) if holder else []
    found = [context.value_of(binding.value) for binding in bindings if binding.value is not statement.value]
    bases = {value.base if value is not None else None for value in found}
    return bases.pop() if len(bases) == 1 else None
