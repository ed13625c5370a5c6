"""A product of matrices takes a detour that costs time, memory or accuracy.

Why
    A @ torch.diag(d) builds a whole matrix to scale columns, which A * d does. inv(a) @ b computes an inverse to throw it
    away; torch.linalg.solve is faster and more accurate. Pairwise distances by a difference of (n, m, d) values take m times
    the memory of torch.cdist.

Bad
    basis, values = torch.randn(8, 8), torch.rand(8)
    scaled = basis @ torch.diag(values)

Good
    basis, values = torch.randn(8, 8), torch.rand(8)
    scaled = basis * values
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.bindings import part_of

RULE = Rule(
    "matmul-detour",
    Severity.INFORMATION,
    Category.PERFORMANCE,
    entry="guides/slow-code",
    covers=("matmul-with-diagonal", "inverse-then-matmul", "manual-cdist"),
)

INVERSES = frozenset({"torch.inverse", "torch.linalg.inv"})
VECTORS = frozenset({"torch.rand", "torch.randn", "torch.ones", "torch.zeros", "torch.arange", "torch.linspace"})
VALUES = {"torch.linalg.svd": 1, "torch.linalg.eigh": 0, "torch.linalg.eig": 0, "torch.svd": 1}


@RULE.on(ast.BinOp)
def product(node: ast.BinOp, context: Context) -> Findings:
    if not isinstance(node.op, ast.MatMult):
        return
    for side in (node.left, node.right):
        if isinstance(side, ast.Call) and is_diagonal(side, context):
            other = "a[:, None] * m" if side is node.left else "m * a"
            words = f"{context.text_of(side)} makes a whole matrix to scale with: multiply, {other}"
            yield Finding.at(node, words, kind="matmul-with-diagonal")
            return
    if isinstance(node.left, ast.Call) and context.name_of(node.left.func) in INVERSES and len(node.left.args) == 1:
        solved = f"torch.linalg.solve({context.text_of(node.left.args[0])}, {context.text_of(node.right)})"
        yield Finding.at(node, f"the inverse is only multiplied: use {solved}", kind="inverse-then-matmul")


def is_diagonal(call: ast.Call, context: Context) -> bool:
    """Whether a call makes a diagonal matrix of a vector; torch.diag of a matrix takes its diagonal out."""
    return context.name_of(call.func) == "torch.diag" and len(call.args) == 1 and is_vector(call.args[0], context)


def is_vector(node: ast.expr, context: Context, depth: int = 6) -> bool:
    """Whether a tensor surely has one axis: by the size that it was made with, or as the values of a decomposition."""
    if depth == 0:
        return False
    if isinstance(node, ast.BinOp):
        return any(is_vector(side, context, depth - 1) for side in (node.left, node.right))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and context.name_of(node.func) is None:
        elementwise = node.func.attr in ("sqrt", "rsqrt", "exp", "log", "abs", "reciprocal", "pow")
        return elementwise and is_vector(node.func.value, context, depth - 1)
    if isinstance(node, ast.Call):
        one = len(node.args) == 1 and isinstance(node.args[0], ast.Constant)
        return context.name_of(node.func) in VECTORS and one
    if not isinstance(node, ast.Name):
        return False
    bindings = context.file.names.bindings(node)
    if len(bindings) != 1 or bindings[0].value is None or bindings[0].path is None:
        return False
    found = part_of(bindings[0].value, bindings[0].path)
    if found is None or not found[1]:
        return found is not None and is_vector(found[0], context, depth - 1)
    name = context.name_of(found[0].func) if isinstance(found[0], ast.Call) else None
    return name in VALUES and found[1] == (VALUES[name or ""],)


@RULE.on(ast.Call)
def distances(call: ast.Call, context: Context) -> Findings:
    squares = argument_of(call, "sqrt", context)
    summed = argument_of(squares, "sum", context) if squares is not None else None
    difference = squared(summed, context) if summed is not None else None
    if isinstance(difference, ast.BinOp) and isinstance(difference.op, ast.Sub):
        axes = [new_axis(difference.left), new_axis(difference.right)]
        if sorted(axes, key=str) == [0, 1]:
            words = "all differences are written out, n×m×d values: torch.cdist computes the distances directly"
            yield Finding.at(call, words, kind="manual-cdist")


def argument_of(node: ast.expr, name: str, context: Context) -> ast.expr | None:
    """x of `x.sum(-1)` and of `torch.sum(x, -1)`."""
    if not isinstance(node, ast.Call):
        return None
    if context.name_of(node.func) == f"torch.{name}":
        return node.args[0] if node.args else None
    return node.func.value if isinstance(node.func, ast.Attribute) and node.func.attr == name else None


def squared(node: ast.expr, context: Context) -> ast.expr | None:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return node.left if isinstance(node.right, ast.Constant) and node.right.value == 2 else None
    by_method = argument_of(node, "pow", context)
    if (
        by_method is not None
        and isinstance(node, ast.Call)
        and isinstance(node.args[-1], ast.Constant)
        and node.args[-1].value == 2
    ):
        return by_method
    return argument_of(node, "square", context)


def new_axis(node: ast.expr) -> int | None:
    """Where an operand of two axes gets a third: 1 for `a[:, None]` and `a[:, None, :]`, 0 for `b[None]`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "unsqueeze" and node.args:
        place = node.args[0]
        return place.value if isinstance(place, ast.Constant) and place.value in (0, 1) and type(place.value) is int else None
    if not isinstance(node, ast.Subscript):
        return None
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    places = [index for index, part in enumerate(parts) if isinstance(part, ast.Constant) and part.value is None]
    return places[0] if len(places) == 1 and places[0] < 2 and len(parts) <= 3 else None
