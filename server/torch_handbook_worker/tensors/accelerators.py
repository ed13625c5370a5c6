"""The device that is the GPU where there is one and the CPU else: `"cuda" if torch.cuda.is_available() else "cpu"`."""

from __future__ import annotations

import ast
from typing import Any

import torch

from torch_handbook_worker.tensors.values import Unknown

GPU = "gpu"  # the place of what was put there: on one machine with the GPU, on another with all the rest
FAST = ("cuda", "mps", "xpu")


class Accelerator(Unknown):
    """Such a device. What is on it fits what is on the CPU on some machines only."""

    def __init__(self) -> None:
        super().__init__("device", "device")


def either_device(one: Any, other: Any) -> Any:
    """The device that is one of two, where one is a GPU and the other is what is there without it; else None."""
    kinds = {_kind(one), _kind(other)}
    return Accelerator() if GPU in kinds and kinds & {"cpu", GPU} and None not in kinds and one != other else None


def _kind(device: Any) -> Any:
    if isinstance(device, Accelerator):
        return GPU
    if isinstance(device, (str, torch.device)):
        kind = str(device).partition(":")[0]
        return GPU if kind in FAST else "cpu" if kind == "cpu" else None
    return None


def asks_for_gpu(test: ast.expr) -> bool:
    """Whether a condition is `torch.cuda.is_available()` or its like: there are machines on which it holds."""
    return isinstance(test, ast.Call) and isinstance(test.func, ast.Attribute) and test.func.attr == "is_available"


def place_of(device: Any) -> str:
    """The place that a value of `device=` names."""
    if isinstance(device, Accelerator):
        return GPU
    if isinstance(device, int):
        return f"cuda:{device}"
    return str(device) if isinstance(device, (str, torch.device)) else "?"


def shown(place: str) -> str:
    """A place as facts name it: which of the two it is, is not known."""
    return "?" if place == GPU else place
