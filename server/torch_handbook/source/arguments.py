"""What a call gives for its parameters, `**` of a dict that the file shows included."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torch_handbook.source.origins import given_by

if TYPE_CHECKING:
    from torch_handbook.source.file import File

UNKNOWN = object()
DEPTH = 6


@dataclass(frozen=True, eq=False)
class Arguments:
    """The arguments of one call by name; `complete` is false where a star may hold more than is known."""

    file: File
    given: dict[str, ast.expr]
    complete: bool

    def lacks(self, name: str) -> bool:
        """Whether the call surely does not give this one."""
        return self.complete and name not in self.given

    def constant(self, name: str, default: object = None) -> object:
        """The constant that is given for it, the default where it surely is not given, else UNKNOWN."""
        if name in self.given:
            return constant(self.file, self.given[name])
        return default if self.complete else UNKNOWN


def arguments_of(file: File, call: ast.Call, order: tuple[str, ...]) -> Arguments:
    """The arguments of a call of something whose positional parameters are these."""
    given: dict[str, ast.expr] = {}
    complete = not any(isinstance(item, ast.Starred) for item in call.args)
    if complete:
        given.update(zip(order, call.args, strict=False))
    for keyword in call.keywords:
        if keyword.arg is not None:
            given[keyword.arg] = keyword.value
            continue
        items = items_of(file, keyword.value)
        complete = complete and items is not None
        given.update(items or {})
    return Arguments(file, given, complete)


def items_of(file: File, node: ast.expr) -> dict[str, ast.expr] | None:
    """The items of a dict that is written out, there or where the name was bound; None where it may hold others."""
    if isinstance(node, ast.Name):
        bindings = file.names.bindings(node)
        value = given_by(bindings[0]) if len(bindings) == 1 else None
        return items_of(file, value) if value is not None and not is_touched(file, node) else None
    if isinstance(node, ast.Dict):
        keys = [key.value if isinstance(key, ast.Constant) else None for key in node.keys]
        return {str(key): value for key, value in zip(keys, node.values, strict=True)} if None not in keys else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict" and not node.args:
        return {word.arg: word.value for word in node.keywords if word.arg} if all(w.arg for w in node.keywords) else None
    return None


def is_touched(file: File, name: ast.Name) -> bool:
    """Whether a dict is changed, or given away to who may change it."""
    scope = file.scope_of(name).find(name.id)
    for use in file.index.inside(scope.node if scope else file.tree, ast.Name):
        if use.id != name.id or not isinstance(use.ctx, ast.Load):
            continue
        parent = file.parent_of(use)
        if not (isinstance(parent, ast.keyword) and parent.arg is None):
            return True
    return False


def constant(file: File, node: ast.expr, depth: int = DEPTH) -> object:
    """The constant that an expression is, there or where its name was bound; UNKNOWN where it may be another."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        value = node.operand.value
        return -value if isinstance(value, (int, float)) else UNKNOWN
    if not isinstance(node, ast.Name) or depth == 0:
        return UNKNOWN
    bindings = file.names.bindings(node)
    if len(bindings) != 1 or bindings[0].kind != "assign" or bindings[0].foreign:
        return UNKNOWN
    value = given_by(bindings[0])
    return constant(file, value, depth - 1) if value is not None else UNKNOWN
