"""What `isinstance` and `torch.is_tensor` tell of a name: in an `if`, in one expression, behind an `assert` or an early exit."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from torch_handbook.source.reach import LEAVING
from torch_handbook.source.tree import Tree


@dataclass(frozen=True, eq=False)
class Check:
    """A test that has succeeded in some parts of the tree, and behind a statement where it is one that nothing else gets past.

    `told` is the second argument of `isinstance`, or the whole call of another test.
    """

    node: ast.stmt | ast.expr
    told: ast.expr
    inside: frozenset[ast.AST] = frozenset()
    behind: ast.stmt | None = None


@dataclass(frozen=True, eq=False)
class Checks:
    """Answers for one tree."""

    tree: Tree

    @cached_property
    def by_name(self) -> dict[str, list[Check]]:
        found: dict[str, list[Check]] = {}
        for name, check in self.all():
            found.setdefault(name, []).append(check)
        return found

    def all(self) -> Iterator[tuple[str, Check]]:
        index = self.tree.index
        for node in index.all(ast.If):
            for name, told in facts(node.test, True):
                yield name, Check(node, told, frozenset(node.body))
            for name, told in facts(node.test, False):
                yield name, Check(node, told, frozenset(node.orelse), node if isinstance(node.body[-1], LEAVING) else None)
        for node in index.all(ast.IfExp):
            yield from ((name, Check(node, told, frozenset([node.body]))) for name, told in facts(node.test, True))
            yield from ((name, Check(node, told, frozenset([node.orelse]))) for name, told in facts(node.test, False))
        for node in index.all(ast.Assert):
            yield from ((name, Check(node, told, behind=node)) for name, told in facts(node.test, True))
        for node in index.all(ast.BoolOp):
            for place, value in enumerate(node.values[:-1], 1):
                known = facts(value, isinstance(node.op, ast.And))
                yield from ((name, Check(value, told, frozenset(node.values[place:]))) for name, told in known)

    def of(self, node: ast.Name) -> list[Check]:
        """The checks that a use of a name is under, the last one first."""
        checks = self.by_name.get(node.id)
        if not checks:
            return []
        path = [node, *self.tree.ancestors(node)]
        found = [check for check in checks if not check.inside.isdisjoint(path) or self.is_behind(path, check.behind)]
        return sorted(found, key=lambda check: (check.node.lineno, check.node.col_offset), reverse=True)

    def is_behind(self, path: list[ast.AST], statement: ast.stmt | None) -> bool:
        """Whether what a path leads to comes after a statement of the same block, or is part of what does."""
        if statement is None:
            return False
        parent, block = self.tree.parents.get(statement), self.tree.blocks.get(statement)
        return any(
            isinstance(here, ast.stmt) and here.lineno > statement.lineno and self.tree.blocks.get(here) == block
            for here, around in pairwise(path)
            if around is parent
        )


def facts(test: ast.expr, holds: bool) -> Iterator[tuple[str, ast.expr]]:
    """The names of whose class a condition tells if it holds, or if it does not, with what tells it."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from facts(test.operand, not holds)
    elif isinstance(test, ast.BoolOp):
        if isinstance(test.op, ast.And) is holds:
            for value in test.values:
                yield from facts(value, holds)
    elif holds and isinstance(test, ast.Call) and test.args and isinstance(test.args[0], ast.Name):
        if isinstance(test.func, ast.Name) and test.func.id == "isinstance" and len(test.args) == 2:
            yield test.args[0].id, test.args[1]
        elif len(test.args) == 1 and (test.func.attr if isinstance(test.func, ast.Attribute) else "") == "is_tensor":
            yield test.args[0].id, test
