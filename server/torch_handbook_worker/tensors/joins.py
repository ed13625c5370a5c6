"""The steps of a sequence, joined along the batch where a new axis for the time was wanted."""

from __future__ import annotations

from typing import Any, List, Optional

from torch_handbook_worker.tensors.axes import axes_of, has_axes
from torch_handbook_worker.tensors.operation import Call
from torch_handbook_worker.tensors.remarks import Key, is_certain, remark, shown
from torch_handbook_worker.tensors.sizes import fixed
from torch_handbook_worker.tensors.values import words

KIND = "cat-instead-of-stack"
PARTING = words("view reshape unflatten chunk split tensor_split")  # they take the steps apart again


def watch(call: Call, inputs: List[Any], made: List[Any]) -> None:
    """Look at what takes a step out of a sequence, and at what joins steps."""
    if call.short == "__getitem__" and inputs and inputs[0].dim() == 3:
        key = call.args[-1] if isinstance(call.args[-1], tuple) else (call.args[-1],)
        if len(key) > 1 and isinstance(key[0], slice) and key[0] == slice(None) and type(key[1]) is int:
            axes_of(inputs[0])[0].stepped = True
    elif call.short in ("cat", "concat") and len(made) == 1:
        _joined(call, inputs, made[0])
    elif call.short in PARTING and inputs and hasattr(inputs[0], "handbook_joined"):
        told: Optional[Key] = inputs[0].handbook_joined
        if told is not None:
            call.frame.session.trace.failures.pop(told, None)


def _joined(call: Call, inputs: List[Any], value: Any) -> None:
    axis = call.argument(1, "dim", 0)
    if axis != 0 or len(inputs) < 3 or not all(row.dim() == 2 and has_axes(row) and is_certain(row) for row in inputs):
        return
    first = axes_of(inputs[0])[0]
    if not first.stepped or fixed(inputs[0].shape[0]) == 1 or len({id(row) for row in inputs}) < len(inputs):
        return
    if all(axes_of(row)[0] is first and str(row.shape) == str(inputs[0].shape) for row in inputs):
        details = {"count": len(inputs), "input": shown(call, inputs[0]), "output": shown(call, value)}
        value.handbook_joined = remark(call, KIND, details)
