"""Recurrent layers on sequences of any length: one step is run, and its result stretched over the time."""

from __future__ import annotations

from typing import Any, List

import torch
from torch.nn.utils.rnn import PackedSequence

from torch_handbook_worker.tensors.operation import Call
from torch_handbook_worker.tensors.sizes import fixed
from torch_handbook_worker.tensors.values import UnknownValue


def run(call: Call) -> Any:
    """What the layer gives. Torch would walk through all steps, and a free number of them would become the one in its place."""
    given, module = call.argument(0, "input"), call.module
    if isinstance(given, PackedSequence):
        return _run_packed(call, given)
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


def _run_packed(call: Call, given: PackedSequence) -> Any:
    """The same of a packed sequence: the state has the batch that was packed, the result as many steps as there were."""
    batch, module = batch_of(given), call.module
    if batch is None or module is None or given.data.dim() != 2:
        raise UnknownValue("a packed sequence")
    sizes = [batch, given.batch_sizes.shape[0]] if module.batch_first else [given.batch_sizes.shape[0], batch]
    call.args = [linked(given.data, [*sizes, given.data.shape[1]]), *call.args[1:]]  # what is said of a mistake is said of this
    call.kwargs = {name: value for name, value in call.kwargs.items() if name != "input"}
    out, state = run(call)
    return packed(linked(out, [given.data.shape[0], out.shape[-1]]), given.batch_sizes, batch), state


def packed(data: torch.Tensor, batch_sizes: torch.Tensor, batch: Any) -> PackedSequence:
    """A packed sequence that knows how many sequences it holds: torch reads that from its data."""
    made = PackedSequence(data, batch_sizes)
    made.handbook_batch = batch  # type: ignore[attr-defined]
    return made


def batch_of(value: Any) -> Any:
    """How many sequences a packed one holds, if that is known."""
    return vars(value).get("handbook_batch") if isinstance(value, PackedSequence) else None


def linked(given: torch.Tensor, sizes: List[Any]) -> torch.Tensor:
    """A tensor of other sizes that was computed of `given`, so that gradients find their way."""
    made = torch.empty(sizes, dtype=given.dtype)
    return made + given.sum() if given.is_floating_point() else made


def state_of(state: Any) -> Any:
    """A state as layers, batch, features: of one layer without gradients, torch 2.4 and 2.6 leave an axis of one too many."""
    return state.squeeze(1) if state.dim() == 4 and fixed(state.shape[1]) == 1 else state
