"""float32 and float64 in one product: torch refuses that, and does not notice it on tensors without data."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import torch
from torch import nn

from torch_handbook_worker.tensors.operation import Call
from torch_handbook_worker.tensors.values import words

DOUBLE = {torch.float32, torch.float64}
PRODUCTS = words("@ matmul mm bmm addmm baddbmm mv")
WEIGHTED = (nn.Linear, nn.modules.conv._ConvNd)


def refused_mix(call: Call) -> Optional[BaseException]:
    """What torch raises for a product of floats of two kinds; None where they are of one, or it is no product."""
    kinds = mix(call)
    if kinds is None:
        return None
    return RuntimeError(f"mat1 and mat2 must have the same dtype, but got {_text(kinds[0])} and {_text(kinds[1])}")


def mix(call: Call) -> Optional[Tuple[Any, Any]]:
    """The dtypes of both sides of a product, where torch refuses them together."""
    if isinstance(call.module, WEIGHTED):
        pair = (call.argument(0, "input"), call.module.weight)
    elif call.short in PRODUCTS or call.short == "linear":
        pair = (call.argument(0, "input"), call.argument(1, "other", call.kwargs.get("weight", call.kwargs.get("mat2"))))
    else:
        return None
    if not all(isinstance(value, torch.Tensor) for value in pair) or {value.dtype for value in pair} != DOUBLE:
        return None
    return pair[0].dtype, pair[1].dtype


def explained(call: Call) -> Optional[Tuple[str, Dict[str, Any]]]:
    """The reason and the details of it, where a layer's weights are one side."""
    kinds = mix(call) if isinstance(call.module, WEIGHTED) else None
    return None if kinds is None else ("dtype", {"dtype": _name(kinds[0]), "weights": _name(kinds[1])})


def _name(dtype: Any) -> str:
    return str(dtype)[6:]


def _text(dtype: Any) -> str:
    return "Double" if dtype is torch.float64 else "Float"
