"""Expressions of free sizes as Python writes them, with the fewest parentheses."""

from __future__ import annotations

import ast
from typing import Any


class AsPython(ast.NodeTransformer):
    """The algebra's functions as Python writes them: Mod(H, 4) is H % 4."""

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        name = getattr(node.func, "id", "")
        if name in ("Mod", "PythonMod") and len(node.args) == 2:
            return ast.BinOp(node.args[0], ast.Mod(), node.args[1])
        return ast.Call(ast.Name(name.lower()), node.args, []) if name in ("Max", "Min") else node


def as_python(text: str) -> str:
    """An expression with the fewest parentheses: "(H - 1)//2 + 1"."""
    try:
        text = ast.unparse(AsPython().visit(ast.parse(text, mode="eval")))
    except (SyntaxError, ValueError):
        return text
    return text.replace(" // ", "//").replace(" ** ", "**").replace(" * ", "*")
