"""Which device an expression names, as far as the file says."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torch_handbook.source.origins import given_by

if TYPE_CHECKING:
    from torch_handbook.source.file import File

DEPTH = 6
GPUS = ("cuda", "mps", "xpu")


def is_gpu(file: File, node: ast.expr, depth: int = DEPTH) -> bool:
    """Whether an expression is a GPU, or the one that the file takes where there is one: `"cuda" if … else "cpu"`."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and node.value.startswith(GPUS)
    if isinstance(node, ast.IfExp):
        return is_gpu(file, node.body, depth) or is_gpu(file, node.orelse, depth)
    if isinstance(node, ast.JoinedStr):
        return bool(node.values) and is_gpu(file, node.values[0], depth) if isinstance(node.values[0], ast.Constant) else False
    if isinstance(node, ast.Call):
        return file.name_of(node.func) == "torch.device" and bool(node.args) and is_gpu(file, node.args[0], depth)
    if not isinstance(node, ast.Name) or depth == 0:
        return False
    values = [given_by(binding) for binding in file.names.bindings(node) if binding.kind == "assign"]
    return any(value is not None and is_gpu(file, value, depth - 1) for value in values)
