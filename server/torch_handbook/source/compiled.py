"""Which functions of a file torch.compile or torch.jit.trace goes through."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch_handbook.source.file import File


def fully_compiled(file: File, function: ast.FunctionDef) -> bool:
    """Whether a function is compiled with fullgraph=True: by its decorator, or as the forward of a module that is."""
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call) and file.name_of(decorator.func) == "torch.compile" and is_full(decorator):
            return True
    return any(is_full(call) and is_meant(file, call, function) for call in calls_of(file, ("torch.compile",)))


def traced(file: File, function: ast.FunctionDef) -> bool:
    """Whether a function is recorded by torch.jit.trace, itself or as the forward of a module."""
    return any(is_meant(file, call, function) for call in calls_of(file, ("torch.jit.trace",)))


def compiled(file: File, function: ast.FunctionDef) -> bool:
    """Whether a function is compiled, in whatever way."""
    if not file.text.has("compile") and not file.text.has("explain"):
        return False
    names = ("torch.compile", "torch._dynamo.explain")
    heads = [one.func if isinstance(one, ast.Call) else one for one in function.decorator_list]
    if any(file.name_of(head) == "torch.compile" for head in heads):
        return True
    return any(is_meant(file, call, function) for call in calls_of(file, names))


def calls_of(file: File, names: tuple[str, ...]) -> list[ast.Call]:
    """The calls of these functions, with something to compile."""
    found = [node for node in file.index.all(ast.Call) if node.args]
    return [call for call in found if isinstance(call.func, ast.Attribute) and file.name_of(call.func) in names]


def is_full(call: ast.Call) -> bool:
    return any(
        word.arg == "fullgraph" and isinstance(word.value, ast.Constant) and word.value.value is True for word in call.keywords
    )


def is_meant(file: File, call: ast.Call, function: ast.FunctionDef) -> bool:
    """Whether what a call compiles is this function, or a module whose forward it is."""
    value = file.value_of(call.args[0])
    if value is None or value.node is None:
        return False
    if value.node is function:
        return True
    if not isinstance(value.node, ast.ClassDef) or function.name != "forward":
        return False
    found = file.flow.classes.lookup(value.node, "forward")
    return bool(found) and found[0].node is function
