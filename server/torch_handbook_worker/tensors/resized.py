"""Padding and resizing: torch computes the new sizes in Python's numbers, here they are computed with free ones."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, List, Optional

import torch

from torch_handbook_worker.tensors.operation import Call
from torch_handbook_worker.tensors.outcome import settle, unknown_result
from torch_handbook_worker.tensors.promises import like, loose
from torch_handbook_worker.tensors.sizes import SYMBOLIC, is_free
from torch_handbook_worker.tensors.torch_calls import named
from torch_handbook_worker.tensors.values import Unknown, unknown_in


@named("torch.nn.functional.pad")
def _pad(call: Call) -> Any:
    """The sizes grow by what is put on both sides; the last axis comes first."""
    given, pads = call.argument(0, "input"), call.argument(1, "pad")
    symbolic = isinstance(pads, (list, tuple)) and any(isinstance(pad, SYMBOLIC) for pad in pads)
    vague = unknown_in(pads) is not None
    if not isinstance(given, torch.Tensor) or not isinstance(pads, (list, tuple)) or not (symbolic or vague):
        return call.frame.session.carry_out(call)
    sizes: List[Any] = [*given.shape]
    if len(pads) % 2 or len(pads) > 2 * len(sizes):
        return unknown_result(call)
    for place in range(0, len(pads), 2):
        axis, both = -1 - place // 2, pads[place : place + 2]
        if unknown_in(both) is not None:
            sizes[axis] = call.frame.session.sizes.free("n")
        else:
            sizes[axis] = sizes[axis] + both[0] + both[1]
    made = settle(call, like(given, sizes))
    return loose(made) if vague else made


@named("torch.nn.functional.interpolate", "torch.nn.functional.upsample")
def _interpolate(call: Call) -> Any:
    """A size that is told, or the old ones times a factor."""
    given = call.argument(0, "input")
    size, factor = call.argument(1, "size"), call.argument(2, "scale_factor")
    return resized(call, given, size, factor) if isinstance(given, torch.Tensor) else call.frame.session.carry_out(call)


def resized(call: Call, given: Any, size: Any, factor: Any) -> Any:
    """What becomes of a tensor of which the axes behind the second get another size."""
    known = unknown_in([size, factor]) is None
    symbolic = any(map(is_free, given.shape[2:])) or isinstance(size, SYMBOLIC) or (known and _has_free(size))
    if known and not symbolic:
        return call.frame.session.carry_out(call)
    spatial = [*given.shape[2:]]
    if isinstance(size, (list, tuple)):
        wanted = [_size(call, row) for row in size]
    elif size is not None:
        wanted = [_size(call, size)] * len(spatial) if not isinstance(size, Unknown) or size.kind else [None] * len(spatial)
    else:
        factors = list(factor) if isinstance(factor, (list, tuple)) else [factor] * len(spatial)
        wanted = [times(row, by) for row, by in zip(spatial, factors)]
    if len(wanted) != len(spatial):
        return unknown_result(call)
    sizes = [call.frame.session.sizes.free("n") if row is None else row for row in wanted]
    made = settle(call, like(given, [*given.shape[:2], *sizes]))
    return made if known and None not in wanted else loose(made)


def _has_free(size: Any) -> bool:
    return isinstance(size, (list, tuple)) and any(isinstance(row, SYMBOLIC) for row in size)


def _size(call: Call, value: Any) -> Any:
    return call.frame.session.sizes.standing_for(value) if isinstance(value, Unknown) else value


def times(size: Any, factor: Any) -> Optional[Any]:
    """A size times a factor, rounded down; None where the factor is not known."""
    if not isinstance(factor, (int, float)):
        return size * factor if isinstance(factor, torch.SymInt) else None
    ratio = Fraction(factor).limit_denominator(64)
    return size * ratio.numerator // ratio.denominator if abs(float(ratio) - factor) < 1e-9 else None
