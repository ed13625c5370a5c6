"""Makes values for parameters of which only shapes and dtypes are known."""

from __future__ import annotations

import ast
from typing import Any, Dict, List, Mapping

from torch_handbook_worker.protocol import Fact, ObjectFact, Size, TensorFact, TupleFact

BATCH, OTHER = 32, 64  # what a free size is taken to be
BATCH_NAMES = ("N", "B", "batch", "batch_size", "n", "b")


def size_of(size: Size) -> int:
    """A number for a size; each free name in it stands for the same number everywhere."""
    if isinstance(size, int):
        return size
    try:
        return max(1, int(evaluate(ast.parse(size, mode="eval").body)))
    except SyntaxError:
        return OTHER


def evaluate(node: ast.expr) -> float:
    """The arithmetic of a size's expression."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return node.value
    if isinstance(node, ast.Name):
        return BATCH if node.id in BATCH_NAMES else OTHER
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -evaluate(node.operand)
    if isinstance(node, ast.BinOp):
        left, right = evaluate(node.left), evaluate(node.right)
        if isinstance(node.op, ast.Add):
            return left + right
        if isinstance(node.op, ast.Sub):
            return left - right
        if isinstance(node.op, ast.Mult):
            return left * right
        if isinstance(node.op, (ast.FloorDiv, ast.Div)) and right:
            return left // right
    return OTHER


def expression_of(fact: Fact, device: str) -> str:
    """The code that makes a value; `device` is where its tensors go, unless the fact knows better."""
    if isinstance(fact, TupleFact):
        return f"({''.join(expression_of(item, device) + ', ' for item in fact.items)})"
    if isinstance(fact, TensorFact):
        return tensor_expression(fact, device)
    if isinstance(fact, ObjectFact):
        return fact.text
    raise TypeError(f"a {fact.type} cannot be made up")


def tensor_expression(fact: TensorFact, device: str) -> str:
    """Random numbers for floats; small whole numbers, which are valid as classes and indices."""
    shape = ", ".join(str(size_of(size)) for size in fact.shape)
    where = "" if device == "cpu" else f', device="{device}"'
    if fact.dtype == "bool":
        return f"torch.rand({shape or '()'}{where}) > 0.5"
    if fact.dtype.startswith(("int", "uint", "long")):
        return f"torch.randint(2, ({shape}{',' if len(fact.shape) == 1 else ''}), dtype=torch.{fact.dtype}{where})"
    plain = f"torch.randn({shape or '()'}{'' if fact.dtype == 'float32' else f', dtype=torch.{fact.dtype}'}{where}"
    if not fact.requires_grad:
        return plain + ")"
    return f"{plain}, requires_grad=True)" + ("" if fact.leaf else ".clone()")


class Inputs:
    """The made-up parameters by name; `assumed` says how each one was made."""

    def __init__(self, facts: Mapping[str, Fact]) -> None:
        self.facts = facts
        self.assumed: Dict[str, str] = {}
        self.device = ""

    def on_device_of(self, value: Any) -> Any:
        """Remember the device of a module: what it is given must be there, too."""
        parameters: List[Any] = list(value.parameters())[:1] if hasattr(value, "parameters") else []
        if parameters:
            self.device = str(parameters[0].device)
        return value

    def __getitem__(self, name: str) -> Any:
        import torch

        fact = self.facts[name]
        wanted = self.device or (fact.device if isinstance(fact, TensorFact) and fact.device != "?" else "cpu")
        device = wanted if not wanted.startswith("cuda") or torch.cuda.is_available() else "cpu"
        self.assumed[name] = expression_of(fact, device)
        return eval(self.assumed[name], {"torch": torch})


def part_of(whole: Any, kind: type) -> Any:
    """The first part of a module that is of a class."""
    for module in whole.modules():
        if type(module) is kind:
            return module
    raise RuntimeError(f"no {kind.__name__} is among the modules of {type(whole).__name__}")
