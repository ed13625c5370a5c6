"""Where a file expects trouble: code for several versions of torch, and errors that a test waits for."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch_handbook.source.file import File

VERSIONS = re.compile(
    r"version|hasattr|torch_?\d|is_torch|_AVAILABLE|_available|TORCH_|_GE_|_LT_|_GREATER|_greater|_less|getattr"
)
MISSING = re.compile(r"ImportError|ModuleNotFoundError|AttributeError|RuntimeError|TypeError|Exception")
EXPECTED = re.compile(r"\b(?:raises|assertRaises|assertRaisesRegex|warns|assertWarns|deprecated_call|suppress)\b")


def is_guarded(file: File, node: ast.AST) -> bool:
    """Whether a node runs on some versions of torch only, or its error is waited for."""
    return any(is_guard(around, node) for around in (node, *file.grown.ancestors(node)))


def is_guard(around: ast.AST, node: ast.AST) -> bool:
    if isinstance(around, (ast.If, ast.IfExp)):
        return node is not around and VERSIONS.search(ast.unparse(around.test)) is not None
    if isinstance(around, ast.ExceptHandler):
        return around.type is None or MISSING.search(ast.unparse(around.type)) is not None
    if isinstance(around, ast.Try):
        return any(handler.type is None or MISSING.search(ast.unparse(handler.type)) for handler in around.handlers)
    if isinstance(around, (ast.With, ast.AsyncWith)):
        return any(EXPECTED.search(ast.unparse(item.context_expr)) for item in around.items)
    return False
