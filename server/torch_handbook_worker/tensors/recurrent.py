"""Recurrent layers on sequences of any length: one step is run, and its result stretched over the time."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.utils.rnn import PackedSequence

from torch_handbook_worker.tensors.operation import Call
from torch_handbook_worker.tensors.sizes import fixed
from torch_handbook_worker.tensors.values import UnknownValue


def run(call: Call) -> Any:
    """What the layer gives. Torch would walk through all steps, and a free number of them would become the one in its place."""
    given, module = call.argument(0, "input"), call.module
    if isinstance(given, PackedSequence):
        raise UnknownValue("a packed sequence")  # its batch sizes are data
    if module is None or not isinstance(given, torch.Tensor) or given.dim() not in (2, 3):
        return call.callee(*call.args, **call.kwargs)
    if call.frame.session.measure is not None and all(fixed(size) is not None for size in given.shape):
        return call.callee(*call.args, **call.kwargs)  # all steps count
    time = 1 if module.batch_first and given.dim() == 3 else 0
    if not call.args:
        call.args, call.kwargs = [given], {name: value for name, value in call.kwargs.items() if name != "input"}
    out, state = module(given.narrow(time, 0, 1), *call.args[1:], **call.kwargs)
    sizes = [*out.shape]
    sizes[time] = given.shape[time]
    return out + torch.empty(sizes, dtype=out.dtype), tuple(map(state_of, state)) if isinstance(state, tuple) else state


def state_of(state: Any) -> Any:
    """A state as layers, batch, features: of one layer without gradients, torch 2.4 and 2.6 leave an axis of one too many."""
    return state.squeeze(1) if state.dim() == 4 and fixed(state.shape[1]) == 1 else state
