"""The dtype of a NumPy array, as far as the file says, and the names of dtypes."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torch_handbook.source.origins import given_by
from torch_handbook.source.torch_names import words

if TYPE_CHECKING:
    from torch_handbook.source.file import File

DEPTH = 8
OTHER_NAMES = {"float": "float32", "double": "float64", "half": "float16", "long": "int64", "int": "int32", "short": "int16"}
DTYPES = words("float16 bfloat16 float32 float64 uint8 int8 int16 int32 int64 bool")
OF_NUMPY = {"float": "float64", "double": "float64", "float_": "float64", "int": "int64", "int_": "int64", "bool_": "bool"}
# Functions whose result is float64 unless a dtype is given.
DOUBLES = words(
    "zeros ones empty eye linspace logspace random.rand random.randn random.random random.uniform random.normal"
    " random.standard_normal random.random_sample identity hanning"
)
KEEPS = words("reshape transpose copy flatten ravel squeeze clip round repeat swapaxes")
KEEPING = words("numpy.expand_dims numpy.ascontiguousarray numpy.transpose numpy.stack numpy.concatenate numpy.abs numpy.sqrt")
GENERATORS = words("standard_normal normal uniform random")


def dtype_word(name: str) -> str | None:
    """ "float16" for "torch.half"; None for what is no dtype."""
    last = name.removeprefix("torch.")
    return last if last in DTYPES else OTHER_NAMES.get(last)


def array_dtype(file: File, node: ast.expr, depth: int = DEPTH) -> str | None:
    """What a NumPy array is made of; None where that is not known, or it is none."""
    if depth == 0:
        return None
    if isinstance(node, ast.Name):
        values = [given_by(one) if one.kind == "assign" else None for one in file.names.bindings(node)]
        found = {array_dtype(file, value, depth - 1) if value is not None else None for value in values}
        return found.pop() if len(found) == 1 else None
    if isinstance(node, ast.Subscript):
        return array_dtype(file, node.value, depth - 1)
    if isinstance(node, ast.Attribute) and node.attr == "T":
        return array_dtype(file, node.value, depth - 1)
    if isinstance(node, ast.BinOp):
        return of_operator(file, node, depth)
    return of_call(file, node, depth) if isinstance(node, ast.Call) else None


def of_operator(file: File, node: ast.BinOp, depth: int) -> str | None:
    """float64 stays float64 beside numbers and narrower arrays."""
    sides = {array_dtype(file, node.left, depth - 1), array_dtype(file, node.right, depth - 1)}
    return "float64" if "float64" in sides and not isinstance(node.op, ast.FloorDiv) else None


def of_call(file: File, call: ast.Call, depth: int) -> str | None:
    asked = [word.value for word in call.keywords if word.arg == "dtype"]
    name = file.name_of(call.func)
    if isinstance(call.func, ast.Attribute) and name is None:
        if call.func.attr == "astype" and (call.args or asked):
            return named(file, (call.args or asked)[0])
        if call.func.attr in KEEPS:
            return array_dtype(file, call.func.value, depth - 1)
        return "float64" if call.func.attr in GENERATORS and is_generator(file, call.func.value) and not asked else None
    if name is None or not name.startswith("numpy."):
        return None
    if asked:
        return named(file, asked[0])
    last = name.removeprefix("numpy.")
    if last in DOUBLES:
        return "float64" if len(call.args) < 2 or last.startswith(("random.", "linspace", "logspace")) else None
    if last in ("array", "asarray") and call.args:
        return of_values(file, call.args[0]) if len(call.args) == 1 else named(file, call.args[1])
    return array_dtype(file, call.args[0], depth - 1) if name in KEEPING and call.args else None


def is_generator(file: File, node: ast.expr) -> bool:
    """Whether an expression is `np.random.default_rng(…)`, there or where its name was bound."""
    if isinstance(node, ast.Name):
        values = [given_by(one) for one in file.names.bindings(node)]
        return len(values) == 1 and isinstance(values[0], ast.Call) and is_generator(file, values[0])
    return isinstance(node, ast.Call) and file.name_of(node.func) in ("numpy.random.default_rng", "numpy.random.RandomState")


def of_values(file: File, node: ast.expr) -> str | None:
    """np.array of numbers written out."""
    parts = [part for part in ast.walk(node) if isinstance(part, ast.expr)]
    if not all(isinstance(part, (ast.List, ast.Tuple, ast.Constant, ast.UnaryOp)) or is_repeated(part) for part in parts):
        return None
    counts = {part.right for part in parts if isinstance(part, ast.BinOp)}
    kinds = {type(part.value).__name__ for part in parts if isinstance(part, ast.Constant) and part not in counts}
    if "float" in kinds and kinds <= {"float", "int"}:
        return "float64"
    return {frozenset({"int"}): "int64", frozenset({"bool"}): "bool"}.get(frozenset(kinds))


def is_repeated(node: ast.expr) -> bool:
    """`[0.5] * 8`"""
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and isinstance(node.left, ast.List)


def named(file: File, node: ast.expr) -> str | None:
    """The dtype that `np.float32`, `"float32"` or `float` means to NumPy."""
    if isinstance(node, ast.Constant):
        return str(node.value) if node.value in DTYPES else None
    name = file.name_of(node)
    if name is None:
        return OF_NUMPY.get(node.id) if isinstance(node, ast.Name) and node.id in ("float", "int", "bool") else None
    last = name.removeprefix("numpy.")
    return last if last in DTYPES else OF_NUMPY.get(last)
