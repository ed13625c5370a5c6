"""Which networks a file freezes: the names that it turns gradients off for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch_handbook.source.file import File

FREEZES = re.compile(r"freeze|requires_?grad|toggle_grad|set_grad", re.IGNORECASE)
# What says nothing of which network it is.
COMMON = frozenset(
    {"self", "parameters", "named_parameters", "requires_grad_", "modules", "children", "param", "p", "data", "eval"}
)
LOOPS = (ast.For, ast.AsyncFor)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, eq=False)
class Frozen:
    """Answers for one file. What is frozen under one name counts as frozen wherever that name is used."""

    file: File

    @cached_property
    def names(self) -> frozenset[str]:
        """The names and attributes that the file speaks of where it turns gradients off; "" for a whole `self`."""
        return frozenset(name for node in self.places for name in self.spoken(node))

    @cached_property
    def places(self) -> list[ast.AST]:
        """Every `x.requires_grad_(False)`, `x.requires_grad = False`, `freeze(x)`."""
        return [node for node in (*self.file.index.all(ast.Assign), *self.file.index.all(ast.Call)) if is_freezing(node)]

    def holds(self, node: ast.expr) -> bool:
        """Whether what an expression names may be frozen."""
        if not self.names:
            return False
        return "" in self.names or any(word in self.names for word in words_of(node))

    def spoken(self, node: ast.AST) -> Iterator[str]:
        about: list[ast.AST] = [node]
        for around in self.file.grown.ancestors(node):
            if isinstance(around, LOOPS):
                about.append(around.iter)
            elif isinstance(around, ast.Assign) and isinstance(node, ast.Call):
                about += around.targets
            if isinstance(around, SCOPES):
                break
        found = {word for one in about for word in words_of(one)}
        yield from found
        if not found:
            yield ""


def words_of(node: ast.AST) -> set[str]:
    """The names and attributes in an expression that can mean a network."""
    found = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    found |= {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}
    return {word for word in found if word not in COMMON and not FREEZES.search(word)}


def is_freezing(node: ast.AST) -> bool:
    if isinstance(node, ast.Assign):
        targets = [one for one in node.targets if isinstance(one, ast.Attribute) and one.attr == "requires_grad"]
        return bool(targets) and not is_true(node.value)
    if not isinstance(node, ast.Call):
        return False
    called = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id if isinstance(node.func, ast.Name) else ""
    if called == "requires_grad_":
        return bool(node.args or node.keywords) and not any(
            is_true(one) for one in (*node.args, *(w.value for w in node.keywords))
        )
    return FREEZES.search(called) is not None and called not in ("set_grad_enabled", "unfreeze", "is_grad_enabled")


def is_true(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is True
