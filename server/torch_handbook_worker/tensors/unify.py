"""Where an operation only fits if a free size of an input is another one, the input is taken to be so."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Tuple

import torch
from torch import nn

from torch_handbook_worker.tensors.holes import ACTIVE, pin, pin_dtype
from torch_handbook_worker.tensors.operation import ARITHMETIC, Call
from torch_handbook_worker.tensors.sizes import fixed


def unify(call: Call) -> None:
    """Raises `Filled` where an input's free size could be pinned so that the operation may fit."""
    if not ACTIVE:
        return None
    for kind, function in MODULES:
        if isinstance(call.module, kind):
            return function(call)
    if call.name in ARITHMETIC:
        return _stretch(call)
    function = FUNCTIONS.get(call.short)
    if function is not None:
        function(call)
    return None


def _differ(one: Any, other: Any) -> bool:
    return str(one) != str(other)


def _pin(tensor: Any, axis: int, size: Any) -> None:
    if isinstance(tensor, torch.Tensor) and -tensor.dim() <= axis < tensor.dim() and _differ(tensor.shape[axis], size):
        pin(tensor, axis, size)


def _last(name: str) -> Callable[[Call], None]:
    return lambda call: _pin(call.argument(0, "input"), -1, getattr(call.module, name))


def _channels(name: str) -> Callable[[Call], None]:
    return lambda call: _pin(call.argument(0, "input"), 1, getattr(call.module, name))


def _layer_norm(call: Call) -> None:
    assert call.module is not None
    wanted = list(call.module.normalized_shape)
    for place in range(1, len(wanted) + 1):
        _pin(call.argument(0, "input"), -place, wanted[-place])


def _embedding(call: Call) -> None:
    pin_dtype(call.argument(0, "input"), torch.int64)


def _target(call: Call) -> None:
    pin_dtype(call.argument(1, "target"), torch.int64)


def _attention(call: Call) -> None:
    assert call.module is not None
    for value in call.args[:3]:
        _pin(value, -1, call.module.embed_dim)


def _stretch(call: Call) -> None:
    left, right = call.args[0], call.args[1]
    if isinstance(left, torch.Tensor) and isinstance(right, torch.Tensor):
        _pair(left, right, min(left.dim(), right.dim()))


def _pair(left: Any, right: Any, count: int, skip: Tuple[int, ...] = ()) -> None:
    for place in range(1, count + 1):
        one, other = left.shape[-place], right.shape[-place]
        if not _differ(one, other) or 1 in (fixed(one), fixed(other)) or -place in skip:
            continue
        pin(left, -place, other)
        pin(right, -place, one)


def _matmul(call: Call) -> None:
    left, right = call.argument(0, "input"), call.argument(1, "other")
    inner, outer = left.shape[-1], right.shape[-2 if right.dim() > 1 else -1]
    if _differ(inner, outer):
        pin(left, -1, outer)
        pin(right, -2 if right.dim() > 1 else -1, inner)
    if left.dim() > 2 and right.dim() > 2:
        _pair(left, right, min(left.dim(), right.dim()), (-1, -2))


def _linear(call: Call) -> None:
    _pin(call.argument(0, "input"), -1, call.argument(1, "weight").shape[-1])


def _functional_norm(call: Call) -> None:
    wanted = list(call.argument(1, "normalized_shape"))
    for place in range(1, len(wanted) + 1):
        _pin(call.argument(0, "input"), -place, wanted[-place])


def _cat(call: Call) -> None:
    tensors, axis = list(call.argument(0, "tensors")), call.argument(1, "dim", 0)
    first = tensors[0]
    for tensor in tensors[1:]:
        if tensor.dim() == first.dim():
            skipped = (axis - first.dim() if axis >= 0 else axis,) if call.short != "stack" else ()
            _pair(first, tensor, first.dim(), skipped)


MODULES: List[Tuple[Any, Callable[[Call], None]]] = [
    (nn.Linear, _last("in_features")),
    (nn.modules.conv._ConvNd, _channels("in_channels")),
    (nn.modules.batchnorm._BatchNorm, _channels("num_features")),
    (nn.GroupNorm, _channels("num_channels")),
    (nn.LayerNorm, _layer_norm),
    ((nn.RNNBase, nn.modules.rnn.RNNCellBase), _last("input_size")),
    (nn.Embedding, _embedding),
    ((nn.CrossEntropyLoss, nn.NLLLoss), _target),
    (nn.MultiheadAttention, _attention),
]
FUNCTIONS: Dict[str, Callable[[Call], None]] = {
    "@": _matmul, "matmul": _matmul, "bmm": _matmul, "linear": _linear, "layer_norm": _functional_norm,
    "rms_norm": _functional_norm, "embedding": _embedding, "cross_entropy": _target, "nll_loss": _target, "cat": _cat,
    "stack": _cat,
}  # fmt: skip
