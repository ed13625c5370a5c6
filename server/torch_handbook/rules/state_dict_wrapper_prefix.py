"""Weights of a wrapped model are loaded into the model itself.

Why
    DataParallel and DistributedDataParallel put "module." before every key of their state_dict. The plain model knows none of
    these names: it raises, or with strict=False loads nothing and stays random. Save wrapped.module.state_dict(), or strip
    the prefix.

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


@RULE.on(ast.Call)
def unknown_keys(call: ast.Call, context: Context) -> Findings:
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "load_state_dict" or not call.args:
        return
    model = context.value_of(call.func.value)
    if model is None or not model.sure or model.base != "torch.nn.Module" or model.name in WRAPPERS:
        return
    source = behind(call.args[0], context)
    saved = saved_at(source, context) if isinstance(source, ast.Call) else None
    if (saved is None and not is_prefixed(source)) or is_guarded(context.file, call):
        return
    loose = any(
        word.arg == "strict" and isinstance(word.value, ast.Constant) and word.value.value is False for word in call.keywords
    )
    name = ast.unparse(call.func.value)
    words = f'the keys begin with "module.", which {name} does not know: strip it, or save the .module of the wrapped model'
    if loose:
        words = f'the keys begin with "module.", so strict=False loads none of them and {name} stays as it is: strip the prefix'
    related = (Related(span_of(saved), "saved from the wrapped model"),) if saved else ()
    yield Finding.at(call, words, related=related, kind="strict-false-unchecked" if loose else "state-dict-wrapper-prefix")


def behind(node: ast.expr, context: Context) -> ast.expr | None:
    """The expression that a name was bound to, once."""
    if not isinstance(node, ast.Name):
        return node
    bindings = context.file.names.bindings(node)
    return given_by(bindings[0]) if len(bindings) == 1 else None


def is_prefixed(node: ast.expr | None) -> bool:
    keys = node.keys if isinstance(node, ast.Dict) else []
    return bool(keys) and all(
        isinstance(key, ast.Constant) and isinstance(key.value, str) and key.value.startswith("module.") for key in keys
    )


def saved_at(source: ast.Call, context: Context) -> ast.Call | None:
    """Where the file that is loaded was written, if all that write it write the weights of a wrapped model."""
    if context.name_of(source.func) != "torch.load" or not source.args:
        return None
    path = ast.unparse(source.args[0])
    saves = [call for call in context.gradients.calls if len(call.args) > 1 and context.name_of(call.func) == "torch.save"]
    here = [call for call in saves if ast.unparse(call.args[1]) == path]
    return here[0] if here and all(is_wrapped(call.args[0], context) for call in here) else None


def is_wrapped(node: ast.expr, context: Context) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "state_dict":
        return False
    value = context.value_of(node.func.value)
    return value is not None and value.sure and value.name in WRAPPERS
