"""Where a file expects trouble: code for several versions of torch, and errors that a test waits for."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch_handbook.source.file import File
    from torch_handbook.source.scopes import Binding

VERSIONS = re.compile(
    r"version|hasattr|torch_?\d|is_torch|_AVAILABLE|_available|TORCH_|_GE_|_LT_|_GREATER|_greater|_less|getattr"
)
MISSING = re.compile(r"ImportError|ModuleNotFoundError|AttributeError|RuntimeError|TypeError|Exception")
EXPECTED = re.compile(r"\b(?:raises|assertRaises|assertRaisesRegex|warns|assertWarns|deprecated_call|suppress)\b")


# The same in what a flag was given, where it must be about the version and not about the machine.
LOOKED = re.compile(r"__version__|hasattr\(torch\b|\bVersion\(|is_torch|TORCH_\w|torch_?\d|_GREATER|_greater")
LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
DEPTH = 3


def is_guarded(file: File, node: ast.AST) -> bool:
    """Whether a node runs on some versions of torch only, or its error is waited for."""
    return any(is_guard(around, node, file) or is_left(around, file) for around in (node, *file.grown.ancestors(node)))


def is_guard(around: ast.AST, node: ast.AST, file: File) -> bool:
    if isinstance(around, (ast.If, ast.IfExp)):
        return node is not around and asks_version(around.test, file)
    if isinstance(around, ast.ExceptHandler):
        return around.type is None or MISSING.search(ast.unparse(around.type)) is not None
    if isinstance(around, ast.Try):
        return any(handler.type is None or MISSING.search(ast.unparse(handler.type)) for handler in around.handlers)
    if isinstance(around, (ast.With, ast.AsyncWith)):
        return any(EXPECTED.search(ast.unparse(item.context_expr)) for item in around.items)
    return False


def is_left(statement: ast.AST, file: File) -> bool:
    """Whether what stands before a statement, in its block, leaves the block on some versions: `if NEW: return …`."""
    block = file.grown.blocks.get(statement)
    siblings: list[ast.stmt] = getattr(file.parent_of(statement), block, []) if block else []
    before = siblings[: siblings.index(statement)] if statement in siblings and isinstance(statement, ast.stmt) else []
    return any(isinstance(one, ast.If) and isinstance(one.body[-1], LEAVING) and asks_version(one.test, file) for one in before)


def asks_version(test: ast.expr, file: File, words: re.Pattern[str] = VERSIONS, depth: int = DEPTH) -> bool:
    """Whether a condition is about the version of torch, itself or by what a name in it was given."""
    if words.search(ast.unparse(test)) is not None:
        return True
    if depth == 0:
        return False
    named = [part for part in ast.walk(test) if isinstance(part, (ast.Name, ast.Attribute)) and isinstance(part.ctx, ast.Load)]
    given = [binding.value for part in named for binding in meanings(part, file)]
    return any(value is not None and asks_version(value, file, LOOKED, depth - 1) for value in given)


def meanings(part: ast.Name | ast.Attribute, file: File) -> list[Binding]:
    """What assigns a name or an attribute of `self`."""
    if isinstance(part, ast.Name):
        found = file.names.bindings(part)
    else:
        owner = file.flow.classes.owner_of(part.value)
        found = file.flow.classes.lookup(owner, part.attr) if owner is not None else []
    return [binding for binding in found if binding.kind == "assign"]
