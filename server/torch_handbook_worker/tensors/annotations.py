"""Shapes in annotations: jaxtyping's `Float[Tensor, "B C H W"]`, torchtyping's `TensorType["B", 3]`, `Annotated[Tensor, (3, 4)]`.

They are read as they are written, whatever library they come from; what is not plain is passed over.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Any, List, Optional, Union

import torch

JAXTYPING = {
    "Float": (torch.float32, False), "Float16": (torch.float16, True), "Float32": (torch.float32, True),
    "Float64": (torch.float64, True), "BFloat16": (torch.bfloat16, True), "Int": (torch.int64, False),
    "Int8": (torch.int8, True), "Int16": (torch.int16, True), "Int32": (torch.int32, True), "Int64": (torch.int64, True),
    "Integer": (torch.int64, False), "UInt8": (torch.uint8, True), "Bool": (torch.bool, True), "Num": (torch.float32, False),
    "Shaped": (torch.float32, False), "Inexact": (torch.float32, False), "Real": (torch.float32, False),
}  # fmt: skip
TENSORS = ("Tensor", "Parameter")
AXIS = re.compile(r"(?:[A-Za-z]\w*=)?(?P<size>\d{1,9})|(?P<name>[A-Za-z]\w*)|(?P<any>_\w*)")


@dataclass(frozen=True)
class Shape:
    """A shape that is stated: numbers, names of free sizes, and "_" for one that does not matter."""

    axes: List[Union[int, str]]
    dtype: Any = torch.float32
    typed: bool = False  # whether the dtype is stated too


def annotated(function: Any, name: str) -> Optional[Shape]:
    """The shape in the annotation of a parameter."""
    arguments = function.args
    for row in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        if row.arg == name:
            return shape_of_annotation(row.annotation)
    return None


def shape_of_annotation(node: Any) -> Optional[Shape]:
    """The shape that an annotation states; None for most annotations."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 300:
        try:
            node = ast.parse(node.value, mode="eval").body  # an annotation in quotes: a tree, which nobody runs
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    if not isinstance(node, ast.Subscript):
        return None
    head, parts = _last(node.value), node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if head in JAXTYPING and len(parts) == 2 and _last(parts[0]) in TENSORS and isinstance(parts[1], ast.Constant):
        axes = _axes_of_text(parts[1].value)
        return None if axes is None else Shape(axes, *JAXTYPING[head])
    if head == "TensorType":
        axes = _axes_of_nodes(parts)
        return None if axes is None else Shape(axes)
    if head == "Annotated" and len(parts) > 1 and _last(parts[0]) in TENSORS:
        found = (_axes_of_metadata(part) for part in parts[1:])
        axes = _axes_of_nodes(parts[1:]) if len(parts) > 2 else None  # `Annotated[Tensor, "B", 3]`
        axes = axes or next((row for row in found if row is not None), None)
        return None if axes is None else Shape(axes)
    return None


def _last(node: Any) -> str:
    """The last part of a dotted name."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _axes_of_text(text: Any) -> Optional[List[Union[int, str]]]:
    """The axes of "B C H W"; None where their number is open ("...", "*batch") or one is computed."""
    if not isinstance(text, str):
        return None
    axes: List[Union[int, str]] = []
    for part in text.replace(",", " ").split():
        found = AXIS.fullmatch(part)
        if found is None:
            return None
        axes.append(int(found["size"]) if found["size"] else found["name"] or "_")
    return axes


def _axes_of_metadata(node: Any) -> Optional[List[Union[int, str]]]:
    if isinstance(node, ast.Constant):
        return _axes_of_text(node.value)
    if isinstance(node, (ast.Tuple, ast.List)):
        return _axes_of_nodes(node.elts)
    return _axes_of_nodes(node.args) if isinstance(node, ast.Call) and node.args and not node.keywords else None


def _axes_of_nodes(nodes: List[Any]) -> Optional[List[Union[int, str]]]:
    """The axes of `3, "C", width`: numbers, and texts and names for free sizes."""
    axes: List[Union[int, str]] = []
    for node in nodes:
        if isinstance(node, ast.Name):
            axes.append(node.id)
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            axes.append("_" if node.value < 0 else node.value)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and AXIS.fullmatch(node.value):
            axes.extend(_axes_of_text(node.value) or [])
        else:
            return None
    return axes or None
