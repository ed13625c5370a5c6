"""The nodes of a tree by kind and by word, so that nobody walks a file to find a few of them."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

Node = TypeVar("Node", bound=ast.AST)


@dataclass(frozen=True, eq=False)
class Index:
    """Answers for one tree. `nodes` are all of it in document order, parents first, so each subtree is one stretch of them."""

    nodes: Sequence[ast.AST]

    @cached_property
    def places(self) -> dict[ast.AST, int]:
        return {node: place for place, node in enumerate(self.nodes)}

    @cached_property
    def kinds(self) -> dict[type[ast.AST], tuple[list[int], list[ast.AST]]]:
        """The places and the nodes of each kind, in document order."""
        found: dict[type[ast.AST], tuple[list[int], list[ast.AST]]] = {}
        for place, node in enumerate(self.nodes):
            places, nodes = found.setdefault(type(node), ([], []))
            places.append(place)
            nodes.append(node)
        return found

    @cached_property
    def ends(self) -> dict[ast.AST, int]:
        """The place behind the last node of a subtree, for those that were asked for."""
        return {}

    def all(self, kind: type[Node]) -> list[Node]:
        """Every node of a kind, such as `ast.Call`, in document order; not of a whole family such as `ast.expr`."""
        return self.kinds[kind][1] if kind in self.kinds else []  # pyright: ignore[reportReturnType]

    def inside(self, root: ast.AST, kind: type[Node]) -> list[Node]:
        """The nodes of a kind in a part of the tree, itself included, in document order."""
        if root not in self.places:  # it was parsed apart, or made by hand
            return [node for node in ast.walk(root) if isinstance(node, kind)]
        start, end = self.stretch(root)
        places, nodes = self.kinds.get(kind, ([], []))
        first = bisect_left(places, start)
        return nodes[first : bisect_left(places, end, first)]  # pyright: ignore[reportReturnType]

    def stretch(self, root: ast.AST) -> tuple[int, int]:
        """Where the nodes of a part of the tree begin and end in the order of all."""
        return self.places[root], self.end_of(root)

    def end_of(self, root: ast.AST) -> int:
        """The place of the first node behind a part of the tree."""
        if root not in self.ends:
            last = root
            while (child := self.last_child(last)) is not None:
                last = child
            self.ends[root] = self.places[last] + 1
        return self.ends[root]

    def last_child(self, node: ast.AST) -> ast.AST | None:
        """The child that comes last in the text; operators and contexts have no place there."""
        for name in reversed(node._fields):
            value: object = getattr(node, name, None)
            children: list[object] = value if isinstance(value, list) else [value]  # pyright: ignore[reportUnknownVariableType]
            for child in reversed(children):
                if isinstance(child, ast.AST) and child in self.places:
                    return child
        return None

    @cached_property
    def attributes(self) -> dict[str, list[ast.Attribute]]:
        """Every attribute by what is behind its dot."""
        found: dict[str, list[ast.Attribute]] = {}
        for node in self.all(ast.Attribute):
            found.setdefault(node.attr, []).append(node)
        return found

    @cached_property
    def names(self) -> dict[str, list[ast.Name]]:
        """Every plain name by how it is written."""
        found: dict[str, list[ast.Name]] = {}
        for node in self.all(ast.Name):
            found.setdefault(node.id, []).append(node)
        return found
