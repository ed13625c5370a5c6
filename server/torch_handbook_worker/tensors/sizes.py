"""Free sizes: torch's own symbolic integers, each with a name that a reader knows, and never a guard on one."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Union

import torch
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv

try:
    from torch._dynamo.source import ConstantSource
except ImportError:  # a version that keeps it elsewhere
    ConstantSource = None  # type: ignore[assignment,misc]

# The numbers that stand for a free size while torch decides something. They divide by all that networks divide by, are
# larger than any kernel, and no two are equal or a simple multiple of each other.
WITNESSES = {"N": 48, "C": 240, "T": 336, "L": 336, "D": 672, "H": 6720, "W": 4032}
OTHERS = (480, 720, 1008, 1200, 1440, 1680, 2160, 2400, 2640, 2880, 3120, 3360)


class Sizes(ShapeEnv):
    """Answers torch's questions about free sizes by their witnesses, and remembers nothing of it: no size is specialised."""

    def __init__(self) -> None:
        super().__init__(specialize_zero_one=False, duck_shape=False)
        self.names: Dict[str, str] = {}  # symbol to name
        self.taken: Dict[str, int] = {}
        self.specialised = 0  # how often torch wanted the number behind a free size

    def evaluate_expr(self, orig_expr: Any, *arguments: Any, **named: Any) -> Any:
        with self.suppress_guards():
            answer = super().evaluate_expr(orig_expr, *arguments, **named)
        if isinstance(answer, (int, float)) and not isinstance(answer, bool):
            self.specialised += 1
        return answer

    def create_unbacked_symint(self, *arguments: Any, **named: Any) -> Any:
        return self.free("n")

    def free(self, name: str) -> Any:
        """A new free size that is shown as `name` (with a number behind it when that name is taken)."""
        count = self.taken.get(name, 0)
        self.taken[name] = count + 1
        shown = name if not count else f"{name}{count + 1}"
        witness = WITNESSES.get(name, 0) + 48 * count if name in WITNESSES else OTHERS[len(self.names) % len(OTHERS)]
        source = ConstantSource(f"size_{len(self.names)}")  # type: ignore[misc]
        symbol = self.create_symbol(witness, source, dynamic_dim=DimDynamic.DYNAMIC, constraint_dim=None)
        self.names[str(symbol)] = shown
        return self.create_symintnode(symbol, hint=witness, source=source)

    def show(self, size: Any) -> Union[int, str]:
        """The size as a number or as an expression of names: 3, "N", "16*((H - 4)//2)"."""
        if isinstance(size, int):
            return size
        expression = str(size.node.expr)
        if re.fullmatch(r"-?\d+", expression):
            return int(expression)
        text = self.renamed(expression)
        while re.search(r"\(\(([^()]*)\)\)", text):
            text = re.sub(r"\(\(([^()]*)\)\)", r"(\1)", text)
        if text.startswith("(") and text.endswith(")") and "(" not in text[1:] and ")" not in text[:-1]:
            text = text[1:-1]
        return text

    def renamed(self, text: str) -> str:
        """A text of torch's with the names of the free sizes in place of its symbols."""
        return re.sub(r"\b[a-z]+\d+\b", lambda found: self.names.get(found.group(), found.group()), text)


def is_free(size: Any) -> bool:
    """Whether it is a size that is not a plain number."""
    return isinstance(size, torch.SymInt) and fixed(size) is None


def fixed(size: Any) -> Any:
    """The number that a size is for sure, or None."""
    if isinstance(size, int):
        return int(size)
    if isinstance(size, torch.SymInt):
        expression = getattr(size.node, "expr", None)
        if expression is not None and getattr(expression, "is_Integer", False):
            return int(expression)
    return None


def certain(condition: Any) -> Any:
    """True or False where a symbolic condition holds or fails for every size; None where it depends on one."""
    if isinstance(condition, bool):
        return condition
    expression = getattr(condition.node, "expr", None)
    text = str(expression)
    if text in ("True", "False"):
        return text == "True"
    return None


def shape_of(tensor: Any) -> List[Any]:
    """The sizes of a tensor: ints, or SymInts that are free."""
    sizes: List[Any] = []
    for size in tensor.shape:
        known = fixed(size)
        sizes.append(size if known is None else known)
    return sizes


def witness(size: Any) -> int:
    """The number that stands for a size."""
    known = fixed(size)
    if known is not None:
        return int(known)
    hint = getattr(size.node, "hint", None)
    return int(hint) if hint is not None else 2


SYMBOLIC = (torch.SymInt, torch.SymFloat, torch.SymBool)
