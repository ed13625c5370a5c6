"""All that stands inside a piece of code, found quickly: `ast.walk` also goes through operators, contexts and plain values."""

from __future__ import annotations

import ast
from typing import Any, Dict, List, Tuple

# The fields that hold no nodes, or only such as have nothing in them: of an operator its symbol, of a name what is done with it.
PLAIN = frozenset(["ctx", "op", "ops", "id", "attr", "arg", "asname", "lineno", "type_comment", "kind", "type_ignores"])
_fields: Dict[type, Tuple[str, ...]] = {}


def inside(root: ast.AST) -> List[Any]:
    """A node and all nodes inside it but for operators and contexts, those further out first."""
    found: List[Any] = [root]
    for node in found:
        kind = type(node)
        names = _fields.get(kind)
        if names is None:
            fields = () if kind is ast.Constant else kind._fields
            names = _fields[kind] = tuple(name for name in fields if name not in PLAIN)
        for name in names:
            value = getattr(node, name, None)
            if type(value) is list:
                found += [part for part in value if isinstance(part, ast.AST)]
            elif isinstance(value, ast.AST):
                found.append(value)
    return found
