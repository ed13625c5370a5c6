"""Which networks surely do the same in training and in evaluation, so that eval() changes nothing about them."""

from __future__ import annotations

import ast
import re

from torch_handbook.source.modules import CONTAINERS, STATELESS, Modules
from torch_handbook.source.value import Value

# Layers with parameters, and without dropout or statistics of the batches.
PLAIN = re.compile(
    r"torch\.nn\.(?:Linear|Bilinear|Identity|(?:Conv|ConvTranspose)[123]d|Embedding(?:Bag)?|LayerNorm|GroupNorm|RMSNorm|PReLU)"
)
# In a method, what asks for the mode, and the functions that have one.
MODAL = re.compile(r"training|\w*dropout\w*|(?:batch|instance)_norm|rrelu\w*|scaled_dot_product_attention", re.IGNORECASE)
BUILDING = frozenset({"super", "range", "len", "zip", "enumerate", "int", "tuple", "list"})


def is_modeless(value: Value, modules: Modules) -> bool:
    """Whether an instance is one of plain layers alone."""
    if isinstance(value.node, ast.ClassDef):
        return class_is_modeless(value.node, modules, set())
    if value.written:
        return False
    if value.name in CONTAINERS:
        return bool(value.items) and all(item is not None and is_modeless(item, modules) for item in value.items)
    return is_plain(value.name)


def is_plain(name: str) -> bool:
    return name not in CONTAINERS and bool(PLAIN.fullmatch(name) or STATELESS.fullmatch(name))


def class_is_modeless(node: ast.ClassDef, modules: Modules, seen: set[ast.ClassDef]) -> bool:
    """Whether a class of the file makes plain layers only, and no method of it speaks of modes."""
    if node in seen:
        return True  # what there is to say against it is said where it was first met
    seen.add(node)
    index = modules.flow.tree.index
    if [modules.flow.name_of(base) for base in node.bases] != ["torch.nn.Module"]:
        return False
    if any(MODAL.fullmatch(attribute.attr) for attribute in index.inside(node, ast.Attribute)):
        return False
    makers = [part for part in node.body if isinstance(part, ast.FunctionDef) and part.name == "__init__"]
    within = {call for maker in makers for call in index.inside(maker, ast.Call)}
    for call in index.inside(node, ast.Call):
        made = modules.made_by(call)
        if isinstance(made, ast.ClassDef):
            if not class_is_modeless(made, modules, seen):
                return False
        elif isinstance(made, str):
            if made not in CONTAINERS and not is_plain(made):
                return False
        elif made is not None or (call in within and not is_harmless(call)):
            return False
    return True


def is_harmless(call: ast.Call) -> bool:
    """Whether a call in `__init__` brings no layer: `super().__init__()`, `range(n)`, `layers.append(…)`."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr in ("__init__", "append", "extend")
    return isinstance(call.func, ast.Name) and call.func.id in BUILDING
