"""Small questions about syntax that reading torch's files keeps asking."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def parsed(text: str) -> list[ast.stmt]:
    """The statements of a text; none where it cannot be parsed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, those in `if` and `try` included, the likelier branches last so that they win."""
    for node in body:
        if isinstance(node, ast.If):
            typing = last_word(node.test) == "TYPE_CHECKING"
            yield from statements(node.body if typing else node.orelse)
            yield from statements(node.orelse if typing else node.body)
        elif isinstance(node, ast.Try):
            for handler in node.handlers:
                yield from statements(handler.body)
            yield from statements(node.body)
        elif isinstance(node, ast.With):
            yield from statements(node.body)
        else:
            yield node


def is_overload(node: ast.AST) -> bool:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return any(
        (dotted(decorator) or "").rpartition(".")[2] in ("overload", "_overload_method", "_overload") for decorator in decorators
    )


def dotted(node: ast.expr | None) -> str | None:
    """ "torch.nn.functional" for the expression that is written so."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None


def last_word(node: ast.expr | None) -> str:
    return (dotted(node) or "").rpartition(".")[2]


def listed(node: ast.expr) -> list[str]:
    """The strings of a list or tuple."""
    if isinstance(node, ast.BinOp):
        return [*listed(node.left), *listed(node.right)]
    items = node.elts if isinstance(node, (ast.List, ast.Tuple, ast.Set)) else []
    return [item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str)]


def bound(node: ast.stmt) -> list[str]:
    """The names that a definition or assignment binds."""
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def set_in_constructor(node: ast.ClassDef) -> Iterator[tuple[str, ast.stmt]]:
    """The attributes that `__init__` assigns to `self`."""
    for function in node.body:
        if isinstance(function, ast.FunctionDef) and function.name == "__init__":
            for child in ast.walk(function):
                targets = (
                    child.targets if isinstance(child, ast.Assign) else [child.target] if isinstance(child, ast.AnnAssign) else []
                )
                for target in targets:
                    if (
                        isinstance(target, ast.Attribute)
                        and dotted(target) == f"self.{target.attr}"
                        and isinstance(child, ast.stmt)
                    ):
                        yield target.attr, child


def registered_in_constructor(node: ast.ClassDef) -> Iterator[str]:
    """The names that `__init__` gives to `register_buffer` and `register_parameter`."""
    makers = (one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__")
    for call in (child for maker in makers for child in ast.walk(maker) if isinstance(child, ast.Call) and child.args):
        name = call.args[0]
        registers = isinstance(call.func, ast.Attribute) and call.func.attr in ("register_buffer", "register_parameter")
        if registers and isinstance(name, ast.Constant) and isinstance(name.value, str):
            yield name.value
