"""What goes wrong with a batch of one sample: `squeeze()` drops it, and BatchNorm has nothing to compare it with."""

from __future__ import annotations

from typing import Any, List

from torch import nn

from torch_handbook_worker.tensors.axes import axes_of, has_axes
from torch_handbook_worker.tensors.broadcasts import root_of
from torch_handbook_worker.tensors.operation import Call, layer_text
from torch_handbook_worker.tensors.remarks import is_certain, is_one, remark, shown, text_of


def watch(call: Call, inputs: List[Any], made: List[Any]) -> None:
    """Look at a squeeze and at a BatchNorm."""
    if not inputs or not is_certain(inputs[0]):
        return
    if call.short == "squeeze" and not call.kwargs and all(value is inputs[0] for value in call.args):
        _squeezed(call, inputs[0])
    elif isinstance(call.module, nn.modules.batchnorm._BatchNorm):
        _normalized(call, call.module, inputs[0])


def _squeezed(call: Call, given: Any) -> None:
    """A bare squeeze that is to remove other axes of size 1 removes the batch too, if it has one sample."""
    ones = [place for place, size in enumerate(given.shape) if place and is_one(size)]
    if not ones or isinstance(root_of(given), nn.Parameter):
        return
    claims = axes_of(given)[0].claims if has_axes(given) else []
    if any(row.role == "time" for row in claims):
        return
    if is_one(given.shape[0]) and not any(row.role == "batch" for row in claims):
        return  # one picture without a batch
    if call.frame.name == "forward" or any(row.source == "loader" and axes_of(given)[0].loader for row in claims):
        remark(call, "squeeze-without-dim", {"input": shown(call, given), "ones": ones, "text": text_of(call, given)})


def _normalized(call: Call, module: Any, given: Any) -> None:
    """The last batch of a loader has one sample, and BatchNorm one value a channel."""
    loader = axes_of(given)[0].loader if has_axes(given) else None
    if loader is None or not module.training:
        return
    if any(not is_one(size) for size in given.shape[2:]):
        return
    here = loader.__dict__.get("handbook_made")
    trace = call.frame.session.trace
    if here is None or here.path != trace.path:
        return
    details = {"layer": layer_text(call, module), "batch_size": loader.batch_size, "samples": len(loader.dataset)}
    remark(call, "batchnorm-batch-size-one", details, here.span)
