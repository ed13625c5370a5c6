"""What an optimizer keeps for a network: one step is made on tensors without data, and what it leaves is counted."""

from __future__ import annotations

import inspect
import math
from typing import Any, Dict, List, Optional, Tuple

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from torch_handbook_worker.protocol import OptimizerRow
from torch_handbook_worker.tensors.fakes import quiet_torch
from torch_handbook_worker.tensors.names import public_type

# What is told of where the file makes none.
USUAL: Tuple[Tuple[Any, Dict[str, Any]], ...] = (
    (torch.optim.SGD, {"lr": 0.1}),
    (torch.optim.SGD, {"lr": 0.1, "momentum": 0.9}),
    (torch.optim.AdamW, {"lr": 0.001}),
)
LARGEST = 1 << 22  # values of a weight that a step is made with in earnest
SAID = ("lr", "momentum", "amsgrad", "centered")


def rows(found: List[Any], weights: List[Any]) -> List[OptimizerRow]:
    """The optimizers of the file that are for some of these weights; else the usual ones."""
    learning = {id(weight): weight for weight in weights if weight.requires_grad}
    own: List[OptimizerRow] = []
    for optimizer in found:
        held = [weight for group in optimizer.param_groups for weight in group["params"] if id(weight) in learning]
        if held and type(optimizer).__module__.split(".")[0] == "torch":
            own.append(_row(type(optimizer), _plain(optimizer.defaults), held, found=True))
    if own:
        return list(dict.fromkeys(own))
    return [_row(kind, arguments, list(learning.values()), found=False) for kind, arguments in USUAL]


def _plain(defaults: Dict[str, Any]) -> Dict[str, Any]:
    """The arguments that are plain values: an unknown learning rate takes as much room as any other."""
    return {name: value for name, value in defaults.items() if isinstance(value, (int, float, bool, tuple))}


def _row(kind: Any, arguments: Dict[str, Any], weights: List[Any], *, found: bool) -> OptimizerRow:
    text = ", ".join(f"{name}={arguments[name]}" for name in SAID if arguments.get(name))
    return OptimizerRow(public_type(kind), text, state(kind, arguments, weights), found)


def state(kind: Any, arguments: Dict[str, Any], weights: List[Any]) -> Optional[int]:
    """The bytes that an optimizer keeps beside these weights; None where its step needs data."""
    parameters = inspect.signature(kind).parameters
    named = {name: value for name, value in arguments.items() if name in parameters and name not in ("foreach", "fused")}
    named.update({name: False for name in ("foreach", "fused") if name in parameters})
    named.setdefault("lr", 0.1)
    known: Dict[Any, int] = {}
    total = 0
    for weight in weights:
        key = (tuple(int(size) for size in weight.shape), weight.dtype)
        if key not in known:
            try:
                known[key] = _of_one(kind, named, *key)
            except Exception:
                return None
        total += known[key]
    return total


def _of_one(kind: Any, named: Dict[str, Any], shape: Tuple[int, ...], dtype: Any) -> int:
    """What is kept for one weight: found without data, or, where the step asks for values, with a weight of zeros."""
    try:
        with quiet_torch(), FakeTensorMode(allow_non_fake_inputs=True):
            return _after_step(kind, named, shape, dtype)
    except Exception:
        if math.prod(shape) > LARGEST:
            raise
        with quiet_torch():
            return _after_step(kind, named, shape, dtype)


def _after_step(kind: Any, named: Dict[str, Any], shape: Tuple[int, ...], dtype: Any) -> int:
    weight = torch.nn.Parameter(torch.zeros(shape, dtype=dtype))
    weight.grad = torch.zeros(shape, dtype=dtype)
    optimizer = kind([weight], **named)
    optimizer.step()
    kept = [value for row in optimizer.state.values() for value in row.values() if isinstance(value, torch.Tensor)]
    return sum(int(value.untyped_storage().nbytes()) for value in kept)
