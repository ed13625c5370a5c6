"""Parameters without data: an older torch takes each of them for one that is not initialised yet, and weight_norm refuses it."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

KINDS: Any = nn.parameter


def mend() -> None:
    """Let only `nn.Parameter` itself take in whatever tensor says of itself that it is a parameter, as newer versions do."""
    marked: Any = torch.empty(0)
    marked._is_param = True
    if not isinstance(marked, KINDS.UninitializedParameter):
        return
    meta = type(nn.Parameter)

    def is_instance(kind: Any, instance: Any) -> bool:
        is_marked = isinstance(instance, torch.Tensor) and getattr(instance, "_is_param", False)
        return type.__instancecheck__(kind, instance) or (kind is nn.Parameter and is_marked)

    meta.__instancecheck__ = is_instance  # type: ignore[method-assign]
