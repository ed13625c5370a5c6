"""Weights of a wrapped model are loaded into the model itself.

Why
    DataParallel and DistributedDataParallel put "module." before every key of their state_dict, torch.compile "_orig_mod.". The
    plain model knows none of these names: it raises, or with strict=False loads nothing and stays random. Save the state_dict
    of the model that was wrapped, or strip the prefix.

Bad
    wrapped = nn.DataParallel(nn.Linear(4, 2))
    torch.save(wrapped.state_dict(), "weights.pt")
    model = nn.Linear(4, 2)
    model.load_state_dict(torch.load("weights.pt"))

Good
    wrapped = nn.DataParallel(nn.Linear(4, 2))
    torch.save(wrapped.module.state_dict(), "weights.pt")
    model = nn.Linear(4, 2)
    model.load_state_dict(torch.load("weights.pt"))
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.guards import is_guarded
from torch_handbook.source.origins import given_by
from torch_handbook.source.text import span_of

RULE = Rule(
    "state-dict-wrapper-prefix",
    Severity.ERROR,
    Category.SERIALIZATION,
    entry="torch.load",
    covers=("strict-false-unchecked",),
)

WRAPPERS = frozenset({"torch.nn.DataParallel", "torch.nn.parallel.DistributedDataParallel"})
INSIDE = {"module.": "the .module of the wrapped model", "_orig_mod.": "the model that was compiled"}


@RULE.on(ast.Call)
def unknown_keys(call: ast.Call, context: Context) -> Findings:
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "load_state_dict" or not call.args:
        return
    model = context.value_of(call.func.value)
    if model is None or not model.sure or model.base != "torch.nn.Module" or model.name in WRAPPERS:
        return
    source = behind(call.args[0], context)
    saved, prefix = taken_from(source, context)
    if is_compiled(call.func.value, context) or not prefix or is_guarded(context.file, call):
        return
    loose = any(
        word.arg == "strict" and isinstance(word.value, ast.Constant) and word.value.value is False for word in call.keywords
    )
    name = ast.unparse(call.func.value)
    words = f'the keys begin with "{prefix}", which {name} does not know: strip it, or save {INSIDE[prefix]}'
    if loose:
        words = f'the keys begin with "{prefix}", so strict=False loads none of them and {name} stays as it is: strip the prefix'
    related = (Related(span_of(saved), "saved from the wrapped model"),) if saved is not None and saved is not source else ()
    yield Finding.at(call, words, related=related, kind="strict-false-unchecked" if loose else "state-dict-wrapper-prefix")


def behind(node: ast.expr, context: Context) -> ast.expr | None:
    """The expression that a name was bound to, once."""
    if not isinstance(node, ast.Name):
        return node
    bindings = context.file.names.bindings(node)
    return given_by(bindings[0]) if len(bindings) == 1 else None


def taken_from(source: ast.expr | None, context: Context) -> tuple[ast.expr | None, str]:
    """The state_dict that a model is given, and what its keys begin with; "" where that is nothing, or not known."""
    if isinstance(source, ast.Dict):
        return None, written(source)
    key = ""
    if isinstance(source, ast.Subscript) and isinstance(source.slice, ast.Constant) and isinstance(source.slice.value, str):
        source, key = behind(source.value, context), source.slice.value
    if not isinstance(source, ast.Call):
        return None, ""
    if context.name_of(source.func) == "torch.load":
        return saved_at(source, key, context)
    return (source, prefix_of(source, context)) if not key else (None, "")


def written(node: ast.Dict) -> str:
    """What all keys of a dict begin with that is written out."""
    keys = [key.value for key in node.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
    whole = bool(keys) and len(keys) == len(node.keys)
    return next((prefix for prefix in INSIDE if whole and all(key.startswith(prefix) for key in keys)), "")


def saved_at(source: ast.Call, key: str, context: Context) -> tuple[ast.expr | None, str]:
    """Where the file that is loaded was written from a wrapped model, in its whole or under a key."""
    path = ast.unparse(source.args[0]) if source.args else ""
    calls = [call for call in context.gradients.calls if len(call.args) > 1 and context.name_of(call.func) == "torch.save"]
    found = [call for call in calls if ast.unparse(call.args[1]) == path]
    parts = [part_of(call.args[0], key, context) for call in found]
    prefixes = {prefix_of(part, context) for part in parts}
    return (found[0], prefixes.pop()) if len(prefixes) == 1 else (None, "")  # written in one way alone


def part_of(node: ast.expr, key: str, context: Context) -> ast.expr | None:
    """What is saved under a key; without one the whole."""
    node = behind(node, context) or node
    if not key:
        return node
    keys = node.keys if isinstance(node, ast.Dict) else []
    places = [place for place, one in enumerate(keys) if isinstance(one, ast.Constant) and one.value == key]
    return node.values[places[0]] if isinstance(node, ast.Dict) and len(places) == 1 else None


def prefix_of(node: ast.expr | None, context: Context) -> str:
    """What the keys of `wrapped.state_dict()` begin with."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "state_dict":
        return ""
    if node.args or node.keywords:
        return ""
    value = context.value_of(node.func.value)
    if value is not None and value.sure and value.name in WRAPPERS:
        return "module."
    return "_orig_mod." if is_compiled(node.func.value, context) else ""


def is_compiled(node: ast.expr, context: Context) -> bool:
    """Whether a name was given `torch.compile(model)`, once and as the last thing."""
    made = behind(node, context)
    return (
        isinstance(made, ast.Call)
        and context.name_of(made.func) == "torch.compile"
        and bool(made.args)
        and is_network(made, context)
    )


def is_network(call: ast.Call, context: Context) -> bool:
    value = context.value_of(call.args[0])
    return value is not None and value.kind == "instance" and value.sure and value.base == "torch.nn.Module"
