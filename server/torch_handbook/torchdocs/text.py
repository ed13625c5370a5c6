"""String expressions of torch's docs modules, worked out without running them: sums, formats, shared descriptions."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

Value: TypeAlias = "str | dict[str, str] | None"
SECTION = re.compile(r"\n\s{4}(?!\s)")
FIELD = re.compile(r"\{\{|\}\}|\{(\w+)\}")


@dataclass(frozen=True)
class Strings:
    """Evaluates string expressions; `lookup` gives the expression that a name stands for, and what evaluates that."""

    lookup: Callable[[str], tuple[ast.expr, Strings] | None]

    def text(self, node: ast.expr) -> str | None:
        """The string that an expression is, None if it is something else."""
        value = self.value(node, 0)
        return value if isinstance(value, str) else None

    def value(self, node: ast.expr, depth: int) -> Value:
        if depth > 20:
            return None
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, str) else None
        if isinstance(node, (ast.Name, ast.Attribute)):
            found = self.lookup(ast.unparse(node))
            return found[1].value(found[0], depth + 1) if found else None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            left, right = self.value(node.left, depth + 1), self.value(node.right, depth + 1)
            return left + right if isinstance(left, str) and isinstance(right, str) else None
        if isinstance(node, ast.JoinedStr):
            return self.joined(node, depth)
        if isinstance(node, ast.Dict):
            return self.mapping(node, depth)
        return self.called(node, depth) if isinstance(node, ast.Call) else None

    def joined(self, node: ast.JoinedStr, depth: int) -> Value:
        parts = [self.value(part.value if isinstance(part, ast.FormattedValue) else part, depth + 1) for part in node.values]
        return "".join(part if isinstance(part, str) else "" for part in parts)

    def mapping(self, node: ast.Dict, depth: int) -> Value:
        found: dict[str, str] = {}
        for key, item in zip(node.keys, node.values, strict=True):
            value = self.value(item, depth + 1)
            if key is None and isinstance(value, dict):
                found.update(value)
            elif isinstance(key, ast.Constant) and isinstance(value, str):
                found[str(key.value)] = value
        return found

    def called(self, node: ast.Call, depth: int) -> Value:
        """`"…".format(**args)`, `parse_kwargs("…")`, `merge_dicts(a, b)`; of other functions on one string, that string."""
        arguments = [self.value(argument, depth + 1) for argument in node.args]
        if isinstance(node.func, ast.Attribute) and node.func.attr == "format":
            return self.formatted(node, depth)
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("replace", "rstrip", "lstrip", "strip"):
            text = self.value(node.func.value, depth + 1)
            return text.replace(str(arguments[0]), str(arguments[1])) if isinstance(text, str) and len(arguments) == 2 else text
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "merge_dicts":
            return {key: text for part in arguments if isinstance(part, dict) for key, text in part.items()}
        if name == "parse_kwargs" and isinstance(arguments[0], str):
            sections = [section.strip() for section in SECTION.split(arguments[0])]
            return {section.split(" ")[0]: section for section in sections if section}
        return arguments[0] if arguments and isinstance(arguments[0], str) else None

    def formatted(self, node: ast.Call, depth: int) -> Value:
        assert isinstance(node.func, ast.Attribute)
        text = self.value(node.func.value, depth + 1)
        known: dict[str, str] = {}
        for word in node.keywords:
            value = self.value(word.value, depth + 1)
            if word.arg is None and isinstance(value, dict):
                known.update(value)
            elif word.arg and isinstance(value, str):
                known[word.arg] = value
        return (
            FIELD.sub(lambda found: known.get(found[1], found[0]) if found[1] else found[0][0], text)
            if isinstance(text, str)
            else None
        )
