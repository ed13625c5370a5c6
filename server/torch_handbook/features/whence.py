"""Where a value comes from, in a line: the assignment, the loop or the call that made it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch_handbook.features.tables import cut
from torch_handbook.snapshot import Snapshot
from torch_handbook.source.callers import FUNCTIONS, Function, argument_of
from torch_handbook.source.scopes import Binding
from torch_handbook.source.text import span_of

MOST = 3
ROOM = 60  # characters of code
LONG = 2000  # lines of a file whose calls are not looked through while somebody waits


def whence(snapshot: Snapshot, node: ast.AST) -> str:
    """Where a variable or an attribute of `self` got its value; "" where it stands there itself, or nothing is known."""
    found = [said for one in _bindings(snapshot, node)[:MOST] if (said := _said(snapshot, one, node))]
    places = list(dict.fromkeys(found))
    return f"From {', or '.join(places)}." if places else ""


def _bindings(snapshot: Snapshot, node: ast.AST) -> list[Binding]:
    """What may have given it its value, the last first."""
    file = snapshot.file
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        found = file.names.bindings(node)
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        owner = file.value_of(node.value)
        found = file.flow.classes.lookup(owner.node, node.attr) if owner and isinstance(owner.node, ast.ClassDef) else []
    else:
        found = []
    return sorted(found, key=lambda one: one.line, reverse=True)


def _said(snapshot: Snapshot, binding: Binding, node: ast.AST) -> str:
    """One binding in words."""
    line = getattr(binding.node, "lineno", binding.line)
    if binding.kind == "parameter":
        return _given(snapshot, binding)
    if binding.value is None or span_of(binding.value).contains(span_of(node).start):
        return ""
    code = cut(snapshot.text.slice(span_of(binding.value)), ROOM)
    if binding.kind == "for":
        return f"line {line}, one of `{code}`"
    if binding.kind == "augment":
        return f"line {line}: `{binding.name} {_operator(snapshot, binding)}= {code}`"
    return f"line {line}: {'a part of ' if binding.path else ''}`{code}`" if binding.kind == "assign" else ""


def _given(snapshot: Snapshot, parameter: Binding) -> str:
    """The function that a parameter is of, and what its first call in the file gives for it."""
    function = snapshot.file.enclosing(parameter.node, *FUNCTIONS)
    if not isinstance(function, FUNCTIONS):
        return ""
    call = next(iter(calls_of(snapshot, function)), None)
    value = argument_of(call, function, parameter.name) if call else None
    given = f", on line {value.lineno}: `{cut(snapshot.text.slice(span_of(value)), ROOM)}`" if value else ""
    return f"the arguments of `{function.name}`{given}"


def calls_of(snapshot: Snapshot, function: Function) -> Iterator[ast.Call]:
    """The calls of a function in its file; for `forward` those of the module itself, with an argument in the place of `self`."""
    owner = snapshot.file.flow.classes.class_of(function)
    for call in snapshot.once("calls of anything", lambda: _calls(snapshot)):
        value = snapshot.file.value_of(call.func)
        if value and value.node is (owner if function.name == "forward" and owner else function) and value.kind != "class":
            yield ast.Call(call.func, [call.func, *call.args], call.keywords) if owner else call


def _calls(snapshot: Snapshot) -> list[ast.Call]:
    """The calls of names and attributes in a file that is not too long to look what each of them is."""
    nodes = ast.walk(snapshot.file.tree) if snapshot.text.line_count <= LONG else ()
    return [node for node in nodes if isinstance(node, ast.Call) and not snapshot.file.name_of(node.func)]


def _operator(snapshot: Snapshot, binding: Binding) -> str:
    """The operator of `x += y`, as it is written."""
    statement = snapshot.file.enclosing(binding.node, ast.AugAssign)
    text = ast.unparse(statement) if statement else ""
    return text.partition("= ")[0].rpartition(" ")[2]
