"""Probabilities: along which axis they add up to one, and whether they are used along another one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List

import torch
from torch import nn

from torch_handbook_worker.tensors.axes import axes_of, has_axes
from torch_handbook_worker.tensors.operation import Call, source_of
from torch_handbook_worker.tensors.remarks import UNARY, is_certain, is_one, remark, shown
from torch_handbook_worker.tensors.values import each, words

KIND = "softmax-wrong-dim"
SOFTMAX = words("softmax log_softmax softmin Softmax LogSoftmax Softmin")
CHOOSING = {"argmax": 1, "max": 1, "topk": 2, "sum": 1, "cumsum": 1}
PRODUCTS = words("@ matmul bmm")


@dataclass(frozen=True)
class Normal:
    """A softmax, and the axis that it runs along."""

    call: Call
    axis: int
    given: Any
    scored: bool  # whether a Linear gave the scores


def watch(call: Call, inputs: List[Any], made: List[Any]) -> None:
    """Look at a softmax, and at what uses one."""
    if call.short in SOFTMAX and len(made) == 1 and inputs:
        _made(call, inputs[0], made[0])
        return
    if isinstance(call.module, nn.Linear):
        for value in made:
            value.handbook_scored = (call.module.out_features or 0) != 1
            value.handbook_single = call.module.out_features == 1
    if not inputs:
        return
    normal = getattr(inputs[0], "handbook_normal", None)
    if call.short in UNARY and len(inputs) == len(made) == 1:
        made[0].handbook_normal = normal
        made[0].handbook_scored = getattr(inputs[0], "handbook_scored", False)
        made[0].handbook_single = getattr(inputs[0], "handbook_single", False)
    if normal is not None:
        _used(call, inputs[0], normal)


def _made(call: Call, given: Any, value: Any) -> None:
    axis = call.module.dim if call.module is not None else call.argument(1, "dim")
    if type(axis) is not int or not -given.dim() <= axis < given.dim() or given.dim() < 2 or not is_certain(given):
        return
    axis %= given.dim()
    value.handbook_normal = Normal(call, axis, given, getattr(given, "handbook_scored", False))
    if is_one(given.shape[axis]):
        if axis == given.dim() - 1 and getattr(given, "handbook_single", False):
            _tell(value.handbook_normal, "single", "")
        value.handbook_normal = None
        return
    if has_axes(given):
        claims = [row for row in axes_of(given)[axis].claims if row.role == "batch"]
        if claims and not any(row.role == "time" for row in axes_of(given)[axis].claims):
            _tell(value.handbook_normal, "batch", claims[0].text)


def _tell(normal: Normal, why: str, text: str) -> None:
    details = {"axis": normal.axis, "input": shown(normal.call, normal.given), "why": why, "other": text}
    remark(normal.call, KIND, details)


def _used(call: Call, given: Any, normal: Normal) -> None:
    text = source_of(call.frame, call.node)
    if call.short in CHOOSING and normal.axis == 0 and given.dim() == 2 and not is_one(given.shape[1]):
        axis = call.argument(CHOOSING[call.short], "dim", -1 if call.short == "topk" else None)
        if type(axis) is int and axis % 2 == 1:
            _tell(normal, "chosen", text)
    elif call.short in ("nll_loss", "NLLLoss") and normal.axis != 1:
        _tell(normal, "loss", text)
    elif call.short in PRODUCTS and given.dim() > 2 and normal.axis == given.dim() - 2 and not is_one(given.shape[-1]):
        _tell(normal, "product", text)


def returned(result: Any) -> None:
    """A network returns the softmax of its scores: one row is one sample then."""
    for value in each(result):
        normal = getattr(value, "handbook_normal", None) if isinstance(value, torch.Tensor) else None
        if normal is not None and normal.axis == 0 and value.dim() == 2 and normal.scored and not is_one(value.shape[0]):
            _tell(normal, "returned", "")
