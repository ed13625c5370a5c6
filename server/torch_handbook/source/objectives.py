"""What the losses that run backward are summed up from, followed through names, arithmetic and functions of the file."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from torch_handbook.source.callers import FUNCTIONS

if TYPE_CHECKING:
    from torch_handbook.source.file import File
    from torch_handbook.source.gradients import Gradients
    from torch_handbook.source.origins import Origins

REDUCED = frozenset({"mean", "sum", "squeeze", "view", "reshape", "to", "float"})
OFF = frozenset({"torch.no_grad", "torch.inference_mode"})
DEPTH = 10
Path = tuple[int, ...]


@dataclass(frozen=True)
class Term:
    """A summand of an objective, `off` where it was computed in a block without gradients."""

    node: ast.expr
    off: ast.expr | None
    alone: bool  # whether nothing is added to it


@dataclass(frozen=True, eq=False)
class Objectives:
    """Answers for one file."""

    file: File
    origins: Origins
    gradients: Gradients

    @cached_property
    def terms(self) -> list[Term]:
        """The summands of everything that backward is called on; each is told once."""
        return list(self.found())

    def found(self) -> Iterator[Term]:
        seen: set[ast.expr] = set()
        for root in self.roots():
            for term in self.of(root, (), True, 0):
                if term.node not in seen:
                    seen.add(term.node)
                    yield term

    def roots(self) -> Iterator[ast.expr]:
        """Every loss that is run backward: by the file, or by Lightning, which does it with what `training_step` returns."""
        found = [self.root(call) for call in self.gradients.backwards]
        yield from (root for root in found if root is not None)
        for node in self.file.grown.scopes:
            if isinstance(node, FUNCTIONS) and node.name == "training_step" and self.file.flow.classes.class_of(node) is not None:
                for value in self.file.flow.parameters.returns_of(node) or []:
                    yield from self.returned(value)

    def returned(self, value: ast.expr | None) -> Iterator[ast.expr]:
        """The loss in what a training step returns: all of it, or the item of that name."""
        if isinstance(value, ast.Dict):
            rows = zip(value.keys, value.values, strict=True)
            yield from (item for key, item in rows if isinstance(key, ast.Constant) and key.value == "loss")
        elif value is not None:
            yield value

    def root(self, call: ast.Call) -> ast.expr | None:
        """The loss that a call runs backward."""
        if isinstance(call.func, ast.Attribute) and call.func.attr == "backward" and self.file.name_of(call.func) is None:
            owner = call.func.value
            if (
                isinstance(owner, ast.Call)
                and isinstance(owner.func, ast.Attribute)
                and owner.func.attr == "scale"
                and owner.args
            ):
                return owner.args[0]
            return owner if not call.args else None
        return call.args[0] if call.args and self.file.name_of(call.func) == "torch.autograd.grad" else None

    def of(self, node: ast.expr, path: Path, alone: bool, depth: int) -> Iterator[Term]:
        if depth > DEPTH:
            return
        if isinstance(node, ast.Name):
            yield from self.of_name(node, path, alone, depth)
        elif isinstance(node, ast.Attribute):
            yield from self.of_attribute(node, path, alone, depth)
        elif isinstance(node, (ast.Tuple, ast.List)) and path and path[0] < len(node.elts):
            yield from self.of(node.elts[path[0]], path[1:], alone, depth + 1)
        elif path and not isinstance(node, ast.Call):
            return
        elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
            yield from self.of(node.left, (), False, depth + 1)
            yield from self.of(node.right, (), False, depth + 1)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div)):
            sides = [side for side in (node.left, node.right) if not isinstance(side, ast.Constant)]
            if len(sides) == 1:
                yield from self.of(sides[0], (), alone, depth + 1)
            elif sides:
                yield Term(node, None, alone)
        elif isinstance(node, ast.BinOp):
            yield Term(node, None, alone)
        elif isinstance(node, ast.UnaryOp):
            yield from self.of(node.operand, (), alone, depth + 1)
        elif isinstance(node, ast.Call):
            yield from self.of_call(node, path, alone, depth)

    def of_name(self, node: ast.Name, path: Path, alone: bool, depth: int) -> Iterator[Term]:
        bindings = self.file.names.bindings(node)
        for binding in bindings:
            if binding.kind not in ("assign", "augment") or binding.value is None or binding.path is None:
                continue
            off = self.off_at(binding.node)
            if off is not None:
                yield Term(node, off, alone)
                return
            summed = binding.kind == "augment" or len(bindings) > 1
            yield from self.of(binding.value, (*binding.path, *path), alone and not summed, depth + 1)

    def of_attribute(self, node: ast.Attribute, path: Path, alone: bool, depth: int) -> Iterator[Term]:
        """`self.loss`, where one place alone computes it."""
        owner = self.file.flow.classes.owner_of(node.value)
        found = self.file.flow.classes.attributes.get(owner, {}).get(node.attr, []) if owner else []
        computed = [one for one in found if not isinstance(one.value, ast.Constant)]
        if len(computed) == 1 and computed[0].kind == "assign" and computed[0].path == () and computed[0].value is not None:
            yield from self.of(computed[0].value, path, alone, depth + 1)

    def of_call(self, call: ast.Call, path: Path, alone: bool, depth: int) -> Iterator[Term]:
        function = self.origins.function_of(call)
        if isinstance(function, FUNCTIONS):
            for value in self.file.flow.parameters.returns_of(function) or []:
                if value is not None:
                    yield from self.of(value, path, alone, depth + 1)
        elif isinstance(call.func, ast.Attribute) and call.func.attr in REDUCED and self.file.name_of(call.func) is None:
            yield from self.of(call.func.value, (), alone, depth + 1)
        elif not path:
            yield Term(call, None, alone)

    def off_at(self, node: ast.AST) -> ast.expr | None:
        """The `torch.no_grad()` of a `with` around a node."""
        for around in self.file.grown.ancestors(node):
            if isinstance(around, FUNCTIONS):
                return None
            for item in around.items if isinstance(around, ast.With) else ():
                call = item.context_expr
                if isinstance(call, ast.Call) and self.file.name_of(call.func) in OFF:
                    return call
        return None
