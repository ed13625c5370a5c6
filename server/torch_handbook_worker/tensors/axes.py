"""Axes as things of their own: `x`, `relu(x)` and `x.transpose(0, 1)` share them, and what is known of one stays with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Sequence

import torch

from torch_handbook_worker.protocol import Span
from torch_handbook_worker.tensors.operation import Call
from torch_handbook_worker.tensors.remarks import PAIRWISE, is_one, same
from torch_handbook_worker.tensors.values import words


@dataclass(frozen=True)
class Claim:
    """Who says that an axis is the batch or the time, and how."""

    role: str  # "batch" or "time"
    source: str  # "rnn", "attention", "batch_first", "loader", "layer", "name", "step", "positions"
    text: str  # the code that says so
    span: Optional[Span] = None
    call: Optional[Call] = None
    module: Any = None


@dataclass(eq=False)
class Axis:
    """One axis, the same one in all tensors that have it."""

    claims: List[Claim] = field(default_factory=list)
    stepped: bool = False  # whether single steps of a sequence were taken beside it: x[:, t]
    moved: bool = False  # whether the code put it where it is
    loader: Any = None  # the loader whose last batch has a single sample along it


Axes = List[Axis]
Mapping = Callable[[Call, List[Any], Any], Optional[Axes]]
MAPPINGS: Dict[str, Mapping] = {}


def axes_of(tensor: Any) -> Axes:
    """The axes of a tensor; new ones where nothing was known of them."""
    known: Optional[Axes] = getattr(tensor, "handbook_axes", None)
    if known is None or len(known) != tensor.dim():
        known = tensor.handbook_axes = [Axis() for _ in range(tensor.dim())]
    return known


def has_axes(tensor: Any) -> bool:
    """Whether anything is known of a tensor's axes."""
    known = getattr(tensor, "handbook_axes", None)
    return known is not None and len(known) == tensor.dim()


def carry(call: Call, inputs: List[Any], made: List[Any]) -> None:
    """Give the results the axes of the inputs that they still have."""
    if not any(map(has_axes, inputs)):
        return
    for value in made:
        if not has_axes(value):
            found = MAPPINGS.get(call.short, _mapping)(call, inputs, value)
            if found is not None and len(found) == value.dim():
                value.handbook_axes = found


def mapping(*names: str) -> Callable[[Mapping], Mapping]:
    """Registers what becomes of the axes in the operations `names`."""

    def register(function: Mapping) -> Mapping:
        MAPPINGS.update(dict.fromkeys(names, function))
        return function

    return register


def _mapping(call: Call, inputs: List[Any], value: Any) -> Optional[Axes]:
    """An operation that keeps the number of axes keeps those whose size it keeps; a mean takes one away."""
    given = inputs[0]
    if has_axes(given) and given.dim() == value.dim() + 1 and call.short in REDUCTIONS:
        axis = call.argument(1, "dim")
        return [row for place, row in enumerate(axes_of(given)) if place != axis % given.dim()] if type(axis) is int else None
    if call.short in PAIRWISE or call.short in ("cat", "concat", "where"):
        return _broadcast(inputs, value)
    return _kept(given, value, value.dim()) if given.dim() == value.dim() and has_axes(given) else None


REDUCTIONS = words("mean sum max min amax amin argmax logsumexp std var norm")


def _kept(given: Any, value: Any, count: int) -> Axes:
    pairs = zip(axes_of(given)[:count], given.shape, value.shape)
    kept = [row if same(before, after) else Axis() for row, before, after in pairs]
    return [*kept, *(Axis() for _ in range(value.dim() - len(kept)))]


def _broadcast(inputs: List[Any], value: Any) -> Axes:
    found = [Axis() for _ in range(value.dim())]
    for given in reversed(inputs):
        if has_axes(given):
            for place in range(1, min(given.dim(), value.dim()) + 1):
                if not is_one(given.shape[-place]) or is_one(value.shape[-place]):
                    found[-place] = axes_of(given)[-place]
    return found


@mapping("Linear", "matmul", "@", "bmm", "linear", "LSTM", "GRU", "RNN", "MultiheadAttention")
def _but_last(call: Call, inputs: List[Any], value: Any) -> Optional[Axes]:
    given = inputs[0]
    if not has_axes(given) or given.dim() != value.dim():
        return None
    if call.module is not None and not all(same(*pair) for pair in zip(given.shape[:-1], value.shape[:-1])):
        return None  # a state, or the weights of an attention
    return [*axes_of(given)[:-1], Axis()]


@mapping("Embedding", "embedding")
def _embedded(call: Call, inputs: List[Any], value: Any) -> Optional[Axes]:
    given = next((row for row in inputs if has_axes(row) and row.dim() == value.dim() - 1), None)
    return None if given is None else [*axes_of(given), Axis()]


@mapping("transpose", "swapaxes", "swapdims")
def _swapped(call: Call, inputs: List[Any], value: Any) -> Optional[Axes]:
    found = list(axes_of(inputs[0]))
    one, other = call.argument(1, "dim0"), call.argument(2, "dim1")
    found[one], found[other] = found[other], found[one]
    return found


@mapping("permute")
def _permuted(call: Call, inputs: List[Any], value: Any) -> Optional[Axes]:
    order: Sequence[Any] = [row for row in call.args if not isinstance(row, torch.Tensor)]
    if len(order) == 1 and isinstance(order[0], (list, tuple)):
        order = list(order[0])
    found = axes_of(inputs[0])
    return [found[place] for place in order]


@mapping("t")
def _turned(call: Call, inputs: List[Any], value: Any) -> Optional[Axes]:
    return list(reversed(axes_of(inputs[0])))


@mapping("unsqueeze")
def _longer(call: Call, inputs: List[Any], value: Any) -> Optional[Axes]:
    found = list(axes_of(inputs[0]))
    found.insert(call.argument(1, "dim") % value.dim(), Axis())
    return found


@mapping("squeeze", "select")
def _shorter(call: Call, inputs: List[Any], value: Any) -> Optional[Axes]:
    axis, given = call.argument(1, "dim"), inputs[0]
    if type(axis) is not int:
        kept = [row for row, size in zip(axes_of(given), given.shape) if not is_one(size)]
        return kept if axis is None else None
    gone = axis % given.dim()
    return [row for place, row in enumerate(axes_of(given)) if place != gone or given.dim() == value.dim()]


@mapping("view", "reshape", "flatten", "Flatten", "unflatten", "expand", "repeat")
def _cut(call: Call, inputs: List[Any], value: Any) -> Optional[Axes]:
    """The first axes stay the same as long as their sizes do."""
    given, count = inputs[0], 0
    while count < min(given.dim(), value.dim()) and same(given.shape[count], value.shape[count]):
        count += 1
    return _kept(given, value, count)


@mapping("__getitem__")
def _indexed(call: Call, inputs: List[Any], value: Any) -> Optional[Axes]:
    key = call.args[-1] if isinstance(call.args[-1], tuple) else (call.args[-1],)
    waiting = list(axes_of(inputs[0]))
    if any(isinstance(part, (torch.Tensor, list)) or part is Ellipsis for part in key):
        return None
    found: Axes = []
    for part in key:
        if part is None:
            found.append(Axis())
        elif isinstance(part, slice):
            found.append(waiting.pop(0))
        else:
            waiting.pop(0)
    return [*found, *waiting]


@mapping("stack", "einsum", "unbind", "gather", "sort", "movedim", "moveaxis")
def _lost(call: Call, inputs: List[Any], value: Any) -> Optional[Axes]:
    return None
