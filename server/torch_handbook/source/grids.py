"""Small tensors that the file writes out, element by element: what they hold can be known without running anything."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, TypeAlias, cast

from torch_handbook.source.arguments import UNKNOWN, constant
from torch_handbook.source.origins import given_by

if TYPE_CHECKING:
    from torch_handbook.source.callers import Callers
    from torch_handbook.source.file import File
    from torch_handbook.source.method_calls import MethodCalls
    from torch_handbook.source.scopes import Binding

Number: TypeAlias = "bool | int | float"
DEPTH = 16
LARGEST = 4096  # elements
SAME = frozenset(
    {"bool", "float", "long", "int", "double", "half", "to", "cuda", "cpu", "clone", "detach", "contiguous", "byte", "type"}
)
COMPARES: dict[type[ast.cmpop], Callable[[Number, Number], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
OPERATORS: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda left, right: divided(left, right),
}
FUNCTIONS: dict[str, Callable[[Number], Number]] = {
    "log": lambda value: math.log(value) if value > 0 else -math.inf if value == 0 else math.nan,
    "sqrt": lambda value: math.sqrt(value) if value >= 0 else math.nan,
    "abs": abs,
    "neg": operator.neg,
    "logical_not": operator.not_,
}


@dataclass(frozen=True)
class Grid:
    """The elements of a tensor, row by row."""

    shape: tuple[int, ...]
    values: tuple[Number, ...]

    def rows(self) -> list[tuple[Number, ...]]:
        """The last axis, one after the other."""
        width = self.shape[-1] if self.shape else 1
        return [self.values[start : start + width] for start in range(0, len(self.values), width)] if width else []

    def mapped(self, function: Callable[[Number], Number]) -> Grid:
        return replace(self, values=tuple(map(function, self.values)))


@dataclass(frozen=True, eq=False)
class Grids:
    """Answers for one file."""

    file: File
    callers: Callers
    methods: MethodCalls
    asked: dict[ast.AST, list[Grid]] = field(default_factory=dict[ast.AST, "list[Grid]"])  # of parameters

    def of(self, node: ast.expr, depth: int = DEPTH) -> list[Grid]:
        """The tensors that an expression surely is at some time: several where a function is called with several."""
        if depth == 0:
            return []
        if isinstance(node, ast.Name):
            return self.of_name(node, depth)
        if isinstance(node, ast.Call):
            return self.of_call(node, depth)
        if isinstance(node, ast.Subscript):
            return [found for grid in self.of(node.value, depth - 1) if (found := with_axes(grid, node.slice))]
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARES:
            return self.pairs(node.left, node.comparators[0], COMPARES[type(node.ops[0])], depth)
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            return self.pairs(node.left, node.right, OPERATORS[type(node.op)], depth)
        if isinstance(node, ast.UnaryOp):
            return self.of_unary(node, depth)
        return []

    def of_name(self, node: ast.Name, depth: int) -> list[Grid]:
        bindings = self.file.names.bindings(node)
        if len(bindings) != 1:
            return []
        if bindings[0].kind == "parameter":
            return self.of_parameter(bindings[0], depth)
        value = given_by(bindings[0]) if bindings[0].kind == "assign" else None
        return self.of(value, depth - 1) if value is not None and not self.is_changed(node) else []

    def of_parameter(self, parameter: Binding, depth: int) -> list[Grid]:
        """What the calls in the file give it; each parameter is asked once, since a function may call itself in many places."""
        if parameter.node not in self.asked:
            self.asked[parameter.node] = []
            given = self.callers.arguments_of(parameter) or self.methods.given(parameter)
            self.asked[parameter.node] = [grid for one in given for grid in self.of(one, depth - 1)]
        return self.asked[parameter.node]

    def is_changed(self, node: ast.Name) -> bool:
        """Whether something in the scope writes into what the name means."""
        scope = self.file.scope_of(node).find(node.id)
        for use in ast.walk(scope.node) if scope else ():
            if not isinstance(use, ast.Name) or use.id != node.id:
                continue
            parent = self.file.parent_of(use)
            if isinstance(parent, ast.Subscript) and parent.value is use and not isinstance(parent.ctx, ast.Load):
                return True
            if isinstance(parent, ast.Attribute) and parent.attr.endswith("_") and not parent.attr.endswith("__"):
                return True
        return False

    def of_unary(self, node: ast.UnaryOp, depth: int) -> list[Grid]:
        grids = self.of(node.operand, depth - 1)
        if isinstance(node.op, ast.USub):
            return [grid.mapped(operator.neg) for grid in grids]
        if isinstance(node.op, ast.Invert):
            plain = [grid for grid in grids if all(isinstance(value, bool) for value in grid.values)]
            return [grid.mapped(operator.not_) for grid in plain]
        return []

    def of_call(self, call: ast.Call, depth: int) -> list[Grid]:
        name = self.file.name_of(call.func)
        if name in ("torch.tensor", "torch.as_tensor", "torch.Tensor", "torch.FloatTensor", "torch.LongTensor") and call.args:
            grid = self.of_rows(call.args[0])
            wants = [word.value for word in call.keywords if word.arg == "dtype"]
            truth = bool(wants) and self.file.name_of(wants[0]) == "torch.bool"
            return [] if grid is None else [grid.mapped(bool) if truth else grid]
        if name in ("torch.zeros", "torch.ones", "torch.full", "torch.arange") and not any(w.arg is None for w in call.keywords):
            return self.of_filled(name, call)
        last = name.removeprefix("torch.") if name else call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if last in FUNCTIONS:
            subject = call.args[0] if name and call.args else call.func.value if isinstance(call.func, ast.Attribute) else None
            return [grid.mapped(FUNCTIONS[last]) for grid in self.of(subject, depth - 1)] if subject is not None else []
        if name is not None or not isinstance(call.func, ast.Attribute):
            return []
        grids = self.of(call.func.value, depth - 1) if call.func.attr in SAME | {"unsqueeze"} else []
        if call.func.attr == "unsqueeze":
            place = constant(self.file, call.args[0]) if call.args else None
            return [new_axis(grid, place) for grid in grids] if type(place) is int else []
        truth = call.func.attr == "bool" or any(self.file.name_of(one) == "torch.bool" for one in call.args)
        return [grid.mapped(bool) for grid in grids] if truth else grids

    def of_filled(self, name: str, call: ast.Call) -> list[Grid]:
        numbers = [constant(self.file, item) for item in call.args]
        sizes = self.sizes(call)
        if name == "torch.arange":
            whole = [number for number in numbers if type(number) is int]
            if len(whole) != len(numbers) or not 1 <= len(whole) <= 3 or len(range(*whole)) > LARGEST:
                return []
            return [Grid((len(range(*whole)),), tuple(range(*whole)))]
        if sizes is None or math.prod(sizes) > LARGEST:
            return []
        fill = numbers[1] if name == "torch.full" and len(numbers) > 1 else {"torch.zeros": 0, "torch.ones": 1}.get(name, UNKNOWN)
        truth = any(word.arg == "dtype" and self.file.name_of(word.value) == "torch.bool" for word in call.keywords)
        if not isinstance(fill, (bool, int, float)):
            return []
        return [Grid(sizes, ((bool(fill) if truth else fill),) * math.prod(sizes))]

    def sizes(self, call: ast.Call) -> tuple[int, ...] | None:
        """The sizes that a constructor is given as numbers: `torch.zeros(2, 3)`, `torch.zeros((2, 3))`."""
        given = call.args
        if given and isinstance(given[0], (ast.Tuple, ast.List)):
            given = given[0].elts
        numbers = [constant(self.file, item) for item in given]
        whole = [number for number in numbers if type(number) is int]
        return tuple(whole) if whole and len(whole) == len(numbers) else None

    def of_rows(self, node: ast.expr) -> Grid | None:
        """Numbers in nested lists, `[0] * 80 + [1] * 20` included."""
        data = self.listed(node, DEPTH)
        return grid_of(data) if data is not UNKNOWN else None

    def listed(self, node: ast.expr, depth: int) -> object:
        if isinstance(node, (ast.List, ast.Tuple)):
            items = [self.listed(item, depth - 1) for item in node.elts]
            return UNKNOWN if any(item is UNKNOWN for item in items) else items
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Add)) and depth:
            return repeated(node.op, self.listed(node.left, depth - 1), self.listed(node.right, depth - 1))
        if isinstance(node, ast.Name) and depth:
            bindings = self.file.names.bindings(node)
            value = given_by(bindings[0]) if len(bindings) == 1 and bindings[0].kind == "assign" else None
            return self.listed(value, depth - 1) if value is not None and not self.is_grown(node) else UNKNOWN
        special = not_finite(self.file, node)
        return constant(self.file, node) if special is None else special

    def is_grown(self, node: ast.Name) -> bool:
        """Whether a list is changed after it was written out."""
        scope = self.file.scope_of(node).find(node.id)
        parents = (
            [self.file.parent_of(use) for use in ast.walk(scope.node) if isinstance(use, ast.Name) and use.id == node.id]
            if scope
            else []
        )
        changing = ("append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse")
        return any(
            (isinstance(one, ast.Attribute) and one.attr in changing)
            or (isinstance(one, ast.Subscript) and not isinstance(one.ctx, ast.Load))
            for one in parents
        )

    def pairs(self, left: ast.expr, right: ast.expr, function: Callable[[Number, Number], Number], depth: int) -> list[Grid]:
        sides = [self.either(side, depth) for side in (left, right)]
        found = [broadcast(one, other, function) for one, other in product(*sides)] if all(sides) else []
        return [grid for grid in found if grid is not None]

    def either(self, node: ast.expr, depth: int) -> list[Grid]:
        """A side of an operator: a tensor, or a plain number."""
        number = constant(self.file, node)
        if isinstance(number, (bool, int, float)):
            return [Grid((), (number,))]
        return self.of(node, depth - 1)


def divided(left: Number, right: Number) -> Number:
    """Division as tensors do it."""
    if right:
        return left / right
    return math.nan if not left or math.isnan(left) else math.copysign(math.inf, left)


def not_finite(file: File, node: ast.expr) -> float | None:
    """`float("nan")`, `-math.inf` and their like as numbers."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = not_finite(file, node.operand)
        return None if inner is None else -inner
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "float" and len(node.args) == 1:
        word = node.args[0]
        known = isinstance(word, ast.Constant) and str(word.value).lower() in ("nan", "inf", "-inf", "infinity", "-infinity")
        return float(str(word.value)) if known and isinstance(word, ast.Constant) else None
    name = file.name_of(node) or ""
    return (
        {"nan": math.nan, "inf": math.inf}.get(name.rpartition(".")[2])
        if name.startswith(("math.", "torch.", "numpy."))
        else None
    )


def repeated(operation: ast.operator, left: object, right: object) -> object:
    """What `*` and `+` make of lists."""
    if isinstance(operation, ast.Add):
        both = isinstance(left, list) and isinstance(right, list)
        return [*cast("list[object]", left), *cast("list[object]", right)] if both else UNKNOWN
    for row, count in ((left, right), (right, left)):
        if isinstance(row, list) and type(count) is int and len(cast("list[object]", row)) * count <= LARGEST:
            return cast("list[object]", row) * count
    return UNKNOWN


def grid_of(data: object) -> Grid | None:
    """Nested lists of numbers as a grid, where all rows are equally long."""
    if isinstance(data, (bool, int, float)):
        return Grid((), (data,))
    if not isinstance(data, list):
        return None
    rows = [grid_of(item) for item in cast("list[object]", data)]
    kept = [row for row in rows if row is not None]
    if len(kept) != len(rows) or len({row.shape for row in kept}) > 1 or sum(len(row.values) for row in kept) > LARGEST:
        return None
    inner = kept[0].shape if kept else ()
    return Grid((len(kept), *inner), tuple(value for row in kept for value in row.values))


def new_axis(grid: Grid, place: int) -> Grid:
    index = place if place >= 0 else len(grid.shape) + 1 + place
    return replace(grid, shape=(*grid.shape[:index], 1, *grid.shape[index:]))


def with_axes(grid: Grid, place: ast.expr) -> Grid | None:
    """`x[None]`, `x[:, None]`: the same elements with more axes."""
    parts = place.elts if isinstance(place, ast.Tuple) else [place]
    shape: list[int] = []
    left = list(grid.shape)
    for part in parts:
        if isinstance(part, ast.Constant) and part.value is None:
            shape.append(1)
        elif isinstance(part, ast.Slice) and part.lower is part.upper is part.step is None and left:
            shape.append(left.pop(0))
        else:
            return None
    return replace(grid, shape=(*shape, *left))


def broadcast(left: Grid, right: Grid, function: Callable[[Number, Number], Number]) -> Grid | None:
    """The function of each pair of elements, after both are stretched to one shape."""
    rank = max(len(left.shape), len(right.shape))
    one, other = ((1,) * (rank - len(grid.shape)) + grid.shape for grid in (left, right))
    if any(a != b and 1 not in (a, b) for a, b in zip(one, other, strict=True)):
        return None
    shape = tuple(max(a, b) if 0 not in (a, b) else 0 for a, b in zip(one, other, strict=True))
    if math.prod(shape) > LARGEST:
        return None
    places = list(product(*map(range, shape)))
    values = [function(left.values[index(one, place)], right.values[index(other, place)]) for place in places]
    return Grid(shape, tuple(values))


def index(shape: Sequence[int], place: Sequence[int]) -> int:
    """Where an element stands in the row of values of a tensor of this shape; axes of size 1 are stretched."""
    at = 0
    for size, step in zip(shape, place, strict=True):
        at = at * size + (step if size != 1 else 0)
    return at
