"""Which device an expression names, as far as the file says."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torch_handbook.source.origins import given_by
from torch_handbook.source.torch_names import words

if TYPE_CHECKING:
    from torch_handbook.source.file import File

DEPTH = 6
GPUS = ("cuda", "mps", "xpu")
KEEPS = words("float half long view reshape contiguous clone detach requires_grad_ eval train")


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


def on_gpu(file: File, node: ast.expr, depth: int = DEPTH) -> bool:
    """Whether a tensor or network surely was put on such a device: made or moved there, by an expression or a statement."""
    if isinstance(node, ast.Call):
        return is_moved(file, node) or made_on_gpu(file, node, depth)
    if not isinstance(node, ast.Name) or depth == 0:
        return False
    bindings = [binding for binding in file.names.bindings(node) if binding.kind == "assign"]
    values = [given_by(binding) for binding in bindings]
    if bindings and all(value is not None and on_gpu(file, value, depth - 1) for value in values):
        return True
    value = file.value_of(node)
    return value is not None and value.base == "torch.nn.Module" and is_moved_by_statement(file, node)


def made_on_gpu(file: File, call: ast.Call, depth: int) -> bool:
    """`torch.zeros(3, device=device)`, and what keeps its device: `x.float()`."""
    for word in call.keywords:
        if word.arg == "device":
            return is_gpu(file, word.value)
    if isinstance(call.func, ast.Attribute) and file.name_of(call.func) is None and call.func.attr in KEEPS and depth:
        return on_gpu(file, call.func.value, depth - 1)
    return False


def is_moved(file: File, call: ast.Call) -> bool:
    """`x.to(device)`, `x.cuda()`."""
    if not isinstance(call.func, ast.Attribute) or file.name_of(call.func) is not None:
        return False
    if call.func.attr == "cuda":
        return True
    given = [*call.args, *(word.value for word in call.keywords if word.arg == "device")]
    return call.func.attr == "to" and any(is_gpu(file, item) for item in given)


def is_moved_by_statement(file: File, node: ast.Name) -> bool:
    """`model.to(device)` as a statement of the scope that binds the name."""
    scope = file.scope_of(node).find(node.id)
    for use in ast.walk(scope.node) if scope else ():
        if isinstance(use, ast.Name) and use.id == node.id:
            member = file.parent_of(use)
            call = file.parent_of(member) if isinstance(member, ast.Attribute) else None
            if isinstance(call, ast.Call) and call.func is member and is_moved(file, call):
                return True
    return False
