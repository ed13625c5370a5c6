"""How many elements a tensor has, as far as the file says: constructors with numbers, and what keeps or joins shapes."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from torch_handbook.source.origins import given_by
from torch_handbook.source.torch_names import words

if TYPE_CHECKING:
    from torch_handbook.source.file import File
    from torch_handbook.source.grids import Grids
    from torch_handbook.source.scopes import Binding

Shape: TypeAlias = "tuple[int, ...]"
DEPTH = 16
SIZED = words("torch.zeros torch.ones torch.rand torch.randn torch.empty")
KEEPS = words(
    "abs exp log sqrt sigmoid tanh relu float half double long int bool byte to cuda cpu clone detach round floor ceil neg"
    " isnan isinf isfinite eq ne lt gt le ge sign square clamp logical_not requires_grad_ add sub mul div softmax log_softmax"
)
TWO_SIDED = words("isclose eq ne lt gt le ge logical_and logical_or logical_xor add sub mul div")


@dataclass(frozen=True, eq=False)
class Extents:
    """Answers for one file."""

    file: File
    grids: Grids
    asked: dict[ast.AST, Shape | None] = field(default_factory=dict[ast.AST, "Shape | None"])  # of parameters

    def of(self, node: ast.expr, depth: int = DEPTH) -> Shape | None:
        """The sizes of the tensor that an expression gives; () for a number."""
        if depth == 0:
            return None
        if isinstance(node, ast.Constant):
            return () if isinstance(node.value, (bool, int, float)) else None
        value = self.file.value_of(node)
        if value is not None and value.kind == "literal" and value.sure and value.name in ("int", "float", "bool", "number"):
            return ()
        if isinstance(node, ast.Name):
            return self.of_name(node, depth)
        if isinstance(node, ast.Call):
            return self.of_call(node, depth)
        if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
            return stretched(self.of(node.left, depth - 1), self.of(node.right, depth - 1))
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return stretched(self.of(node.left, depth - 1), self.of(node.comparators[0], depth - 1))
        return self.of(node.operand, depth - 1) if isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not) else None

    def of_name(self, node: ast.Name, depth: int) -> Shape | None:
        bindings = self.file.names.bindings(node)
        if len(bindings) != 1:
            return None
        if bindings[0].kind == "parameter":
            return self.of_parameter(bindings[0], depth)
        value = given_by(bindings[0]) if bindings[0].kind == "assign" else None
        return self.of(value, depth - 1) if value is not None else None

    def of_parameter(self, parameter: Binding, depth: int) -> Shape | None:
        """What all calls in the file give it; each parameter is asked once, since a function may call itself in many places."""
        if parameter.node not in self.asked:
            self.asked[parameter.node] = None
            found = {self.of(one, depth - 1) for one in self.grids.callers.arguments_of(parameter) or []}
            self.asked[parameter.node] = found.pop() if len(found) == 1 else None
        return self.asked[parameter.node]

    def of_call(self, call: ast.Call, depth: int) -> Shape | None:
        name = self.file.name_of(call.func)
        if name in SIZED:
            return self.grids.sizes(call)
        if name in ("torch.full", "torch.randint"):
            rows = [item for item in call.args if isinstance(item, (ast.Tuple, ast.List))]
            return self.grids.sizes(ast.Call(call.func, [rows[0]], [])) if len(rows) == 1 else None
        found = self.grids.of(call)
        if found:
            return found[0].shape if len({grid.shape for grid in found}) == 1 else None
        last = name.removeprefix("torch.") if name else call.func.attr if isinstance(call.func, ast.Attribute) else ""
        sides = list(call.args) if name else [call.func.value, *call.args] if isinstance(call.func, ast.Attribute) else []
        if last in TWO_SIDED and len(sides) == 2:
            return stretched(self.of(sides[0], depth - 1), self.of(sides[1], depth - 1))
        return self.of(sides[0], depth - 1) if last in KEEPS and sides else None


def stretched(left: Shape | None, right: Shape | None) -> Shape | None:
    """The shape of two operands that are broadcast to each other; None where one is not known, or they do not fit."""
    if left is None or right is None:
        return None
    longer, shorter = (left, right) if len(left) >= len(right) else (right, left)
    padded = (1,) * (len(longer) - len(shorter)) + shorter
    if any(a != b and 1 not in (a, b) for a, b in zip(longer, padded, strict=True)):
        return None
    return tuple(b if a == 1 else a for a, b in zip(longer, padded, strict=True))
