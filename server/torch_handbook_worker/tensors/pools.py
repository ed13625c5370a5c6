"""Pools whose window is a free size, as in `avg_pool2d(x, x.size(2))`: torch takes windows for plain numbers."""

from __future__ import annotations

from typing import Any, List, Optional

import torch
from torch import nn

from torch_handbook_worker.tensors.operation import Call
from torch_handbook_worker.tensors.outcome import settle, unknown_result
from torch_handbook_worker.tensors.promises import like, loose
from torch_handbook_worker.tensors.sizes import SYMBOLIC, fixed, witness
from torch_handbook_worker.tensors.torch_calls import named
from torch_handbook_worker.tensors.values import each, unknown_in

POOLS = (nn.AvgPool1d, nn.AvgPool2d, nn.AvgPool3d, nn.MaxPool1d, nn.MaxPool2d, nn.MaxPool3d)
NAMES = [f"torch.nn.functional.{kind}_pool{count}d" for kind in ("avg", "max") for count in (1, 2, 3)]


@named(*NAMES, "torch.avg_pool1d", "torch.max_pool1d", "torch.max_pool2d", "torch.max_pool3d")
def _pool(call: Call) -> Any:
    given, is_max = call.argument(0, "input"), "max" in call.short
    kernel, stride, padding = call.argument(1, "kernel_size"), call.argument(2, "stride", None), call.argument(3, "padding", 0)
    dilation = call.argument(4, "dilation", 1) if is_max else 1
    rounds_up = call.argument(5 if is_max else 4, "ceil_mode", False)
    made = pooled(call, given, kernel, stride, padding, dilation, rounds_up)
    return call.frame.session.carry_out(call) if made is None else made


def of_module(call: Call, module: Any) -> Any:
    """The same for a module; None where torch can do it, or where it is none of these."""
    if not isinstance(module, POOLS) or not call.args:
        return None
    stride, dilation = getattr(module, "stride", None), getattr(module, "dilation", 1)
    return pooled(call, call.args[0], module.kernel_size, stride, module.padding, dilation, module.ceil_mode)


def pooled(call: Call, given: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, rounds_up: Any) -> Any:
    """The result of a pool; None where all that it is told are plain numbers."""
    rows = [kernel, kernel if stride is None or stride == [] else stride, padding, dilation]
    if not isinstance(given, torch.Tensor) or unknown_in(rows) is not None:
        return None
    if not any(isinstance(row, SYMBOLIC) for row in each(rows)):
        return None
    count = int(call.short[-2]) if call.short[-2:-1].isdigit() else 0
    several = [_several(row, count) for row in rows]
    if given.dim() not in (count + 1, count + 2) or None in several or rounds_up is not False:
        return unknown_result(call)
    sizes, is_vague = [*given.shape], False
    for place, window, step, pad, hole in zip(range(-count, 0), *(row or [] for row in several)):
        room = sizes[place] + 2 * pad - hole * (window - 1) - 1
        sizes[place] = 1 if fixed(room) == 0 else room // step + 1
        if witness(room) < 0 or (fixed(sizes[place]) is None and witness(sizes[place]) < 2):
            sizes[place] = call.frame.session.sizes.free("n")  # what stands for the sizes does not fit; others may
            is_vague = True
    made = settle(call, like(given, sizes))
    return loose(made) if is_vague else made


def _several(row: Any, count: int) -> Optional[List[Any]]:
    found = list(row) if isinstance(row, (list, tuple)) else [row] * count
    return found if len(found) == count else None
