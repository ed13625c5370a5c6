"""Packed sequences: how long they are is data, how many there are is kept beside them."""

from __future__ import annotations

from typing import Any, List

import torch
from torch.nn.utils.rnn import PackedSequence

from torch_handbook_worker.tensors.operation import Call
from torch_handbook_worker.tensors.outcome import settle, unknown_result
from torch_handbook_worker.tensors.recurrent import batch_of, linked, packed
from torch_handbook_worker.tensors.torch_calls import named
from torch_handbook_worker.tensors.values import UNKNOWN, unknown_in


@named("torch.nn.utils.rnn.pack_padded_sequence")
def _pack(call: Call) -> Any:
    given, lengths, first = call.argument(0, "input"), call.argument(1, "lengths"), call.argument(2, "batch_first", False)
    if unknown_in(lengths) is None or not isinstance(given, torch.Tensor):
        made = call.frame.session.carry_out(call)
        if not isinstance(made, PackedSequence):
            return made  # it raises
    if not isinstance(given, torch.Tensor) or given.dim() < 2 or not isinstance(first, bool):
        return unknown_result(call)
    return _packed(call, given, given.shape[0 if first else 1], [*given.shape[2:]])


@named("torch.nn.utils.rnn.pack_sequence")
def _pack_list(call: Call) -> Any:
    rows = call.argument(0, "sequences")
    if not isinstance(rows, (list, tuple)) or not rows or not all(isinstance(row, torch.Tensor) and row.dim() for row in rows):
        return unknown_result(call)
    made = call.frame.session.carry_out(call)
    return _packed(call, rows[0], len(rows), [*rows[0].shape[1:]]) if isinstance(made, PackedSequence) else made


def _packed(call: Call, given: torch.Tensor, batch: Any, features: List[Any]) -> PackedSequence:
    """What torch makes of it: all steps behind each other; how many there are, and how long the longest one is, is data."""
    sizes = call.frame.session.sizes
    data = settle(call, linked(given, [sizes.symbol("total"), *features]))
    return packed(data, torch.empty([sizes.symbol("T")], dtype=torch.int64), batch)


@named("torch.nn.utils.rnn.pad_packed_sequence")
def _pad(call: Call) -> Any:
    given, first, total = call.argument(0, "sequence"), call.argument(1, "batch_first", False), call.argument(3, "total_length")
    batch = batch_of(given)
    if batch is None or not isinstance(first, bool):
        return UNKNOWN
    if total is None:
        total = given.batch_sizes.shape[0]
    elif not isinstance(total, (int, torch.SymInt)):
        total = call.frame.session.sizes.symbol("T")
    sizes = [batch, total] if first else [total, batch]
    padded = settle(call, linked(given.data, [*sizes, *given.data.shape[1:]]))
    return padded, torch.empty([batch], dtype=torch.int64)
