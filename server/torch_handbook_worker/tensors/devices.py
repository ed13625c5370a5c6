"""Tensors on different devices in one operation. All are computed without data on the CPU: where they would be is a tag."""

from __future__ import annotations

import re
from typing import Any, List

from torch import nn

from torch_handbook_worker.protocol import Failure
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
          nn.Embedding, nn.RNNBase, nn.MultiheadAttention)  # fmt: skip
TOGETHER = PAIRWISE | words(
    "@ matmul mm bmm mv dot einsum cat concat stack hstack vstack linear conv1d conv2d conv3d addmm baddbmm cross_entropy "
    "nll_loss mse_loss l1_loss smooth_l1_loss binary_cross_entropy binary_cross_entropy_with_logits kl_div cosine_similarity "
    "CrossEntropyLoss NLLLoss MSELoss L1Loss SmoothL1Loss BCELoss BCEWithLogitsLoss KLDivLoss"
)
# What moves tensors where this does not look: a default for all, wrappers that hand inputs to their devices, weights by hand.
ELSEWHERE = re.compile(
    r"set_default_(?:device|tensor_type)|with\s+[\w.]*device|DataParallel|\.data\s*=[^=]|register_forward_pre_hook"
)
PLACES = frozenset({"cpu", "cuda", "mps", "xpu"})


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
    if len(found) < 2 or not found <= PLACES or ELSEWHERE.search(trace.text):
        return
    names = sorted(found)
    text = f"Expected all tensors to be on the same device, but found at least two devices, {' and '.join(names)}!"
    details = {"devices": [_place(value) for _, value in call.operands[:6] if hasattr(value, "dim") or isinstance(value, LAYERS)]}
    trace.fail(Failure(span_of(call.node), REASON, call.name, "RuntimeError", text, operands_of(call), details), trace.path)


def _place(value: Any) -> str:
    """The kind of device: cuda:0 and cuda may be the same one."""
    if isinstance(value, nn.Module):
        return next((_place(weight) for weight in parameters(value)), "")
    return device_of(value).partition(":")[0] if is_placed(value) else "?"
