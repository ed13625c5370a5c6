"""What an annotation says of a value: `Tensor`, `Optional[nn.Module]`, `"list[Tensor]"`, `Float[Tensor, "b c"]`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace

from torch_handbook.source.results import made
from torch_handbook.source.torch_names import words
from torch_handbook.source.value import Value, join, literal, many, mapping, several

BUILTINS = frozenset(("int", "float", "bool", "str", "bytes", "complex", "dict"))
WRAPPERS = words("Optional Annotated Final ClassVar Required NotRequired Union")
LISTS = words("list List Sequence Iterable Iterator Collection MutableSequence set Set frozenset deque Generator")
MAPPINGS = words("dict Dict Mapping MutableMapping OrderedDict defaultdict DefaultDict")
JAXTYPING = words("Float Int Bool Shaped Num Real Inexact Complex Integer UInt Key Float32 Float16 BFloat16 Int64")


DEPTH = 8


@dataclass(frozen=True)
class Annotations:
    """Reads annotations. `meaning` tells what a class expression is; `graft` gives what was in quotes a place in the tree."""

    meaning: Callable[[ast.expr], Value | None]
    graft: Callable[[ast.expr, ast.expr], None]

    def read(self, node: ast.expr, depth: int = 0) -> Value | None:
        """The value that an annotation promises; None where it is not about torch or cannot be read."""
        if depth > DEPTH:
            return None
        if isinstance(node, ast.Constant):
            return self.constant(node, depth + 1)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return join([self.read(node.left, depth + 1), self.read(node.right, depth + 1)])
        if isinstance(node, ast.Subscript):
            return self.generic(node, depth + 1)
        if isinstance(node, ast.Name) and node.id in BUILTINS:
            return literal(node.id)
        found = self.meaning(node)
        if found is None or found.kind != "class":
            return None
        return replace(found, kind="instance", sure=True) if found.written else made(found.name)

    def constant(self, node: ast.Constant, depth: int) -> Value | None:
        """None, or an annotation in quotes."""
        if node.value is None:
            return literal("None")
        if not isinstance(node.value, str) or len(node.value) > 200:
            return None
        try:
            inner = ast.parse(node.value.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        self.graft(inner, node)
        return self.read(inner, depth)

    def generic(self, node: ast.Subscript, depth: int) -> Value | None:
        """`Optional[…]`, `list[…]`, `tuple[…]`, and the tensor types of jaxtyping."""
        head = node.value
        word = head.attr if isinstance(head, ast.Attribute) else head.id if isinstance(head, ast.Name) else ""
        inside = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        if not inside:
            return None
        first = self.read(inside[0], depth) if word not in ("tuple", "Tuple", "Union") else None
        if word == "Union":
            return join([self.read(part, depth) for part in inside])
        if word in WRAPPERS or word in JAXTYPING:
            return first.unsure() if first and word == "Optional" else first
        if word in MAPPINGS and len(inside) == 2:
            return mapping(self.read(inside[1], depth))
        if word in LISTS:
            return many(first)
        if word in ("tuple", "Tuple"):
            return self.row(inside, depth)
        return self.read(head, depth)

    def row(self, inside: list[ast.expr], depth: int) -> Value | None:
        """`tuple[a, b]`, or `tuple[a, ...]`."""
        if len(inside) == 2 and isinstance(inside[1], ast.Constant) and inside[1].value is ...:
            return many(self.read(inside[0], depth))
        return several(*[self.read(part, depth) for part in inside])
