"""Tensors on different devices in one operation. All are computed without data on the CPU: where they would be is a tag."""

from __future__ import annotations

import re
from typing import Any, List

import torch
from torch import nn

from torch_handbook_worker.protocol import Failure
from torch_handbook_worker.tensors.accelerators import GPU
from torch_handbook_worker.tensors.members import parameters
from torch_handbook_worker.tensors.notes import device_of, is_placed
from torch_handbook_worker.tensors.operation import Call, operands_of
from torch_handbook_worker.tensors.promises import is_loose
from torch_handbook_worker.tensors.remarks import PAIRWISE
from torch_handbook_worker.tensors.trace import span_of
from torch_handbook_worker.tensors.values import words

REASON = "device"
# Layers whose input has to be where their weights are; containers and wrappers may move it.
LAYERS = (nn.Linear, nn.Bilinear, nn.modules.conv._ConvNd, nn.modules.batchnorm._NormBase, nn.LayerNorm, nn.GroupNorm,
          nn.Embedding, nn.RNNBase, nn.RNNCellBase, nn.MultiheadAttention)  # fmt: skip
TOGETHER = PAIRWISE | words(
    "@ matmul mm bmm mv dot einsum cat concat stack hstack vstack linear conv1d conv2d conv3d addmm baddbmm cross_entropy "
    "nll_loss mse_loss l1_loss smooth_l1_loss binary_cross_entropy binary_cross_entropy_with_logits kl_div cosine_similarity "
    "masked_fill gather index_select index_add scatter scatter_add where lerp "
    "CrossEntropyLoss NLLLoss MSELoss L1Loss SmoothL1Loss BCELoss BCEWithLogitsLoss KLDivLoss"
)
# What moves tensors where this does not look: a default for all, wrappers that hand inputs to their devices, weights by hand.
ELSEWHERE = re.compile(
    r"set_default_(?:device|tensor_type)|with\s+[\w.]*device|DataParallel|\.data\s*=[^=]|register_forward_pre_hook"
)
PLACES = frozenset({"cpu", "cuda", "mps", "xpu", GPU})


def watch(call: Call, inputs: List[Any], made: List[Any]) -> None:
    """Look at an operation whose operands must be together. Only where the code is walked from its beginning is it certain where
    they are: a function that nobody calls may be given anything, and a network may be moved by who uses it."""
    session = call.frame.session
    trace = session.trace
    if not session.is_certain_of_devices or trace.branches or trace.expected or call.frame.source.path != trace.path:
        return
    short = call.short.rstrip("_")
    weights = list(parameters(call.module)) if isinstance(call.module, LAYERS) else []
    together = [value for value in inputs if value.dim() and not is_loose(value)] if short in TOGETHER or weights else []
    found = {_place(value) for value in [*together, *weights[:1]]}
    if len(found) < 2 or not found <= PLACES or (GPU in found and "cpu" not in found) or ELSEWHERE.search(trace.text):
        return
    if any(entered.is_told for entered in session.under_way):
        return  # more goes wrong with the same tensor
    call = _outermost(call, [value for value in together if _place(value) == "cpu"])
    names = sorted(found)
    text = f"Expected all tensors to be on the same device, but found at least two devices, {' and '.join(names)}!"
    details = {"devices": [_place(value) for _, value in call.operands[:6]]}
    trace.fail(Failure(span_of(call.node), REASON, call.name, "RuntimeError", text, operands_of(call), details), trace.path)


def _outermost(call: Call, strangers: List[Any]) -> Call:
    """The call that brought a tensor from the CPU into the network, if one did: there it should have been moved."""
    path = call.frame.session.trace.path
    for entered in call.frame.session.under_way:
        if entered.frame.source.path == path and any(value is one for value in entered.tensors() for one in strangers):
            entered.is_told = True
            return entered
    return call


def _place(value: Any) -> str:
    """The kind of device: cuda:0 and cuda may be the same one; of several tensors that of the first."""
    if isinstance(value, (tuple, list)) and value:
        return _place(value[0])
    if not isinstance(value, (torch.Tensor, nn.Module)):
        return ""
    if isinstance(value, nn.Module):
        return next((_place(weight) for weight in parameters(value)), "")
    return device_of(value).partition(":")[0] if is_placed(value) else "?"
