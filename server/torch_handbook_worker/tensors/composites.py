"""Operators that torch makes of others, made of them in Python, where free sizes stay free: in C++ many take one for a number."""

from __future__ import annotations

import contextlib
from typing import Any, Generator, List, Tuple

import torch
from torch._dispatch.python import enable_python_dispatcher

COMPOSITE: Any = torch._C.DispatchKey.CompositeImplicitAutograd
# These stay as they are in C++: in Python, dropout that drops nothing gives a copy, where torch gives its input itself, and
# stft refuses in words that are a mistake of its own.
AS_THEY_ARE = ("dropout.default", "stft.center", "istft.default")


@contextlib.contextmanager
def composed_in_python() -> Generator[None, None, None]:
    """Within this, `matmul`, `lstm`, `pad` and their like keep free sizes, in every version of torch."""
    kept: List[Tuple[Any, Any]] = []
    for name in AS_THEY_ARE:
        packet, overload = name.split(".")
        operator = getattr(getattr(torch.ops.aten, packet, None), overload, None)
        if COMPOSITE in getattr(operator, "py_kernels", ()):
            kept.append((operator, operator.py_kernels.pop(COMPOSITE)))  # type: ignore[union-attr]
            _look_up_again(operator)
    try:
        with enable_python_dispatcher():
            yield
    finally:
        for operator, kernel in kept:
            operator.py_kernels[COMPOSITE] = kernel
            _look_up_again(operator)


def _look_up_again(operator: Any) -> None:
    """Let torch forget which kernel it chose."""
    cache = getattr(operator, "_dispatch_cache", None)
    if cache is not None:
        cache.clear()
