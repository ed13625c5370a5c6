"""Imports one file with a recorder in each `forward`: what a real run gives to each name there."""

from __future__ import annotations

import ast
import importlib.machinery
from pathlib import Path
from typing import Any

import torch

KEPT = 3000  # calls of `forward` that are remembered of a file


class Recorder:
    """The calls of the methods `forward` of one file: the class, and the shapes by span."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []
        self.on = False
        self.run = ""

    def enter(self, owner: str) -> dict[str, Any]:
        call: dict[str, Any] = {"class": owner, "run": self.run, "seen": []}
        if self.on and len(self.calls) < KEPT:
            self.calls.append(call)
        return call

    def keep(self, call: dict[str, Any], span: list[int], value: Any) -> Any:
        if isinstance(value, torch.Tensor) and not value.is_nested:
            call["seen"].append((span, list(value.shape)))
        return value


RECORDER = Recorder()


def watch(path: Path) -> None:
    """From now on, the file is imported with the recorder in it."""
    loader: Any = importlib.machinery.SourceFileLoader
    plain = loader.source_to_code

    def source_to_code(self: Any, data: Any, name: Any, **named: Any) -> Any:
        if Path(str(name)) != path:
            return plain(self, data, name, **named)
        tree = ast.fix_missing_locations(Instrument().visit(ast.parse(data)))
        return compile(tree, name, "exec", dont_inherit=True)

    def get_code(self: Any, fullname: str) -> Any:  # never the bytecode that lies beside it
        name = self.get_filename(fullname)
        return source_to_code(self, Path(name).read_bytes(), name) if Path(name) == path else kept(self, fullname)

    kept = loader.get_code
    loader.source_to_code, loader.get_code = source_to_code, get_code


class Instrument(ast.NodeTransformer):
    """Puts a call of the recorder behind each assignment in a `forward`, and at its beginning for the parameters."""

    def __init__(self) -> None:
        self.owners: list[str] = []
        self.inside = False

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        self.owners.append(node.name)
        self.generic_visit(node)
        self.owners.pop()
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        if not self.owners or node.name != "forward" or self.inside:
            return self.generic_visit(node) if not self.inside else node
        self.inside = True
        rows = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        body = [statement for row in node.body for statement in self._several(self.visit(row))]
        self.inside = False
        first = ast.parse(f"{NAME}_call = {IMPORT}.enter({self.owners[-1]!r})").body
        node.body = [*first, *(keep(span_of(row), row.arg) for row in rows[1:]), *body]
        return node

    def _several(self, found: Any) -> list[Any]:
        return found if isinstance(found, list) else [found]

    def visit_Assign(self, node: ast.Assign) -> Any:
        return self._kept(node, node.targets)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        return self._kept(node, [node.target])

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        return self._kept(node, [node.target] if node.value is not None else [])

    def _kept(self, node: ast.stmt, targets: list[ast.expr]) -> Any:
        if not self.inside:
            return node
        names = [found for target in targets for found in ast.walk(target) if isinstance(found, (ast.Name, ast.Attribute))]
        stores = [found for found in names if isinstance(found.ctx, ast.Store)]
        return [node, *(keep(span_of(found), ast.unparse(found)) for found in stores)]


NAME = "_handbook_recorder"
IMPORT = "__import__('real_models.recording', fromlist=['RECORDER']).RECORDER"


def keep(span: list[int], name: str) -> ast.stmt:
    return ast.parse(f"{IMPORT}.keep({NAME}_call, {span}, {name})").body[0]


def span_of(node: Any) -> list[int]:
    return [node.lineno, node.col_offset, node.end_lineno, node.end_col_offset]
