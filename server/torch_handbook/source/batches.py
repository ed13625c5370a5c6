"""Loops over the loaders of a file: which DataLoader a loop reads, and which names hold its batches."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from torch_handbook.source.loaders import Loader, loader_of
from torch_handbook.source.origins import given_by

if TYPE_CHECKING:
    from torch_handbook.source.callers import Callers
    from torch_handbook.source.file import File

WRAPPERS = frozenset({"enumerate", "tqdm", "iter", "list", "trange", "track"})
DEPTH = 6
For: TypeAlias = "ast.For | ast.AsyncFor"


@dataclass(frozen=True)
class BatchLoop:
    """One loop over a loader: the names in its target that a batch is unpacked into."""

    node: For
    loader: Loader
    names: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Batches:
    """Answers for one file."""

    file: File
    callers: Callers

    @cached_property
    def loops(self) -> list[BatchLoop]:
        found: list[BatchLoop] = []
        for node in self.file.grown.nodes:
            if isinstance(node, (ast.For, ast.AsyncFor)):
                loaders = list(self.loaders(node.iter, DEPTH))
                names = tuple(batch_names(node))
                found += [BatchLoop(node, loader, names) for loader in loaders[:1]]
        return found

    def loaders(self, node: ast.expr, depth: int) -> Iterator[Loader]:
        """The loaders that an expression may be: behind enumerate, tqdm, names, and what the calls in the file give."""
        if depth == 0:
            return
        if isinstance(node, ast.Call):
            loader = loader_of(self.file, node)
            last = (
                node.func.id
                if isinstance(node.func, ast.Name)
                else node.func.attr
                if isinstance(node.func, ast.Attribute)
                else ""
            )
            if loader is not None:
                yield loader
            elif last in WRAPPERS and node.args:
                yield from self.loaders(node.args[0], depth - 1)
        elif isinstance(node, ast.Name):
            bindings = self.file.names.bindings(node)
            if len(bindings) != 1:
                return
            value = given_by(bindings[0]) if bindings[0].kind == "assign" else None
            given = [value] if value is not None else []
            if bindings[0].kind == "parameter":
                given = self.callers.arguments_of(bindings[0]) or []
            for one in given:
                yield from self.loaders(one, depth - 1)


def batch_names(loop: For) -> Iterator[str]:
    """`x` and `y` of `for x, y in loader`, of `for step, (x, y) in enumerate(loader)`; `batch` of `for batch in loader`."""
    target = loop.target
    counted = isinstance(loop.iter, ast.Call) and isinstance(loop.iter.func, ast.Name) and loop.iter.func.id == "enumerate"
    if counted and isinstance(target, ast.Tuple) and len(target.elts) == 2:
        target = target.elts[1]
    for part in target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]:
        if isinstance(part, ast.Name):
            yield part.id
        elif isinstance(part, (ast.Tuple, ast.List)):
            yield from (item.id for item in part.elts if isinstance(item, ast.Name))
