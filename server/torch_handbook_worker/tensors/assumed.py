"""Which size of an input a network assumes: where an operation behind it fits one size, or a few next to each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import torch
from torch import nn

from torch_handbook_worker.tensors.certainty import product_of
from torch_handbook_worker.tensors.holes import ACTIVE, Hole
from torch_handbook_worker.tensors.operation import ARITHMETIC, Call, layer_text, source_of
from torch_handbook_worker.tensors.sizes import fixed, is_free
from torch_handbook_worker.tensors.solutions import Range, equal_sides

SMALLEST = 2  # an image of one pixel is nothing that a network is made for
SMALLEST_VIEWED = 8  # view(-1, 12) may also be meant to cut a row anew


@dataclass(frozen=True)
class Need:
    """What an operation asks of its operand: that the product of some sizes is a number."""

    axes: Sequence[Any]
    wanted: Any
    why: str
    smallest: int = SMALLEST


@dataclass
class Assumption:
    """What is assumed of an input: on each of some axes the least and the largest size."""

    ranges: Dict[int, Range]
    why: str


def assume(call: Call) -> None:
    """Note what an operation, which did not run with free sizes, needs of the input."""
    trace = call.frame.session.trace
    if not ACTIVE or trace.branches or trace.expected or trace.muted:
        return
    for need in _needs(call):
        free = [size for size in need.axes if is_free(size)]
        found = _places({symbol for size in free for symbol in size.node.expr.free_symbols})
        sides = equal_sides(need.axes, need.wanted) if found is not None else None
        if found is not None and sides is not None and sides[0] >= need.smallest:
            narrow(trace.assumed, found[0].span, Assumption(dict.fromkeys(found[1], sides), need.why))


def _places(symbols: Any) -> Optional[Tuple[Hole, List[int]]]:
    """The one input of which all of the symbols are axes, and which axes these are."""
    for hole in ACTIVE:
        exprs = [axis.node.expr if isinstance(axis, torch.SymInt) else None for axis in hole.axes or []]
        if symbols and hole.span is not None and hole.ranked and symbols <= set(exprs):
            return hole, [place for place, expression in enumerate(exprs) if expression in symbols]
    return None


def narrow(assumed: Dict[Any, Assumption], span: Any, more: Assumption) -> None:
    """Take something more into account that is assumed of the input at a span."""
    known = assumed.setdefault(span, Assumption({}, more.why))
    for place, (low, high) in more.ranges.items():
        least, most = known.ranges.get(place, (low, high))
        known.ranges[place] = (max(least, low), min(most, high))


def _needs(call: Call) -> List[Need]:
    if isinstance(call.module, nn.Linear):
        given, wanted = call.argument(0, "input"), call.module.in_features
        return [_features(given, wanted, f"{layer_text(call, call.module)} takes {fixed(wanted)} features")]
    if call.name in ARITHMETIC or call.short in ("add", "mul", "sub"):
        return _pairs(call, call.argument(0, "input"), call.argument(1, "other"))
    function = FUNCTIONS.get(call.short)
    return function(call) if function is not None else []


def _features(given: Any, wanted: Any, why: str) -> Need:
    return Need(getattr(given, "handbook_unflattened", None) or [given.shape[-1]], wanted, why)


def _linear(call: Call) -> List[Need]:
    wanted = call.argument(1, "weight").shape[-1]
    return [_features(call.argument(0, "input"), wanted, f"linear takes {fixed(wanted)} features")]


def _view(call: Call) -> List[Need]:
    """`x.view(-1, 400)`: one sample is to have 400 values."""
    given = call.argument(0, "input")
    target = call.args[0] if call.args and isinstance(call.args[0], (tuple, list)) else call.args
    if target and target[0] is given:
        target = call.args[1]
    rest = [fixed(size) for size in target[1:]]
    if len(target) < 2 or given.dim() < 2 or any(size is None or size < 1 for size in rest):
        return []
    kept = str(target[0]) == str(given.shape[0])
    if not kept and fixed(target[0]) != -1:
        return []
    text = source_of(call.frame, call.node)
    why = f"{text} takes {product_of(rest)} values of each sample"
    return [Need(given.shape[1:], product_of(rest), why, SMALLEST if kept else SMALLEST_VIEWED)]


def _pairs(call: Call, left: Any, right: Any) -> List[Need]:
    found: List[Need] = []
    for one, other in ((left, right), (right, left)):
        if not isinstance(one, torch.Tensor) or not isinstance(other, torch.Tensor):
            return []
        for place in range(1, min(one.dim(), other.dim()) + 1):
            if is_free(one.shape[-place]) and (fixed(other.shape[-place]) or 1) != 1:
                shown = ", ".join(str(call.frame.session.sizes.show(size)) for size in other.shape)
                found.append(Need([one.shape[-place]], other.shape[-place], f"the other side of {call.name} is [{shown}]"))
    return found


FUNCTIONS: Dict[str, Callable[[Call], List[Need]]] = {"linear": _linear, "view": _view, "reshape": _view}
