"""Tensors that NumPy cannot take as they are: those in a graph, and those on another device."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Optional, Tuple

import torch

from torch_handbook_worker.protocol import Failure
from torch_handbook_worker.tensors.accelerators import GPU
from torch_handbook_worker.tensors.devices import ELSEWHERE, PLACES
from torch_handbook_worker.tensors.notes import device_of, is_placed
from torch_handbook_worker.tensors.operation import Call, operands_of
from torch_handbook_worker.tensors.promises import is_loose
from torch_handbook_worker.tensors.trace import span_of
from torch_handbook_worker.tensors.values import words

REASON = "numpy"
# What makes an array of its first argument, and what does so of a list only: of a tensor they call its own method.
CONVERTING = words("array asarray sqrt exp log abs clip isnan argmax argsort round append stack concatenate vstack hstack")
OF_LISTS = words("mean sum std var median max min average")


def watch_method(call: Call, tensor: Any) -> None:
    """Look at `tensor.numpy()`."""
    if call.kwargs.get("force") is not True and not (call.args and call.args[0] is True):
        _tell(call, [tensor])


def watch_function(call: Call, name: str) -> None:
    """Look at what NumPy's function `name` is given."""
    given = call.args[0] if call.args else None
    if name in CONVERTING or (name in OF_LISTS and isinstance(given, (list, tuple))):
        _tell(call, list(_tensors(given)))


def _tensors(given: Any) -> Iterator[Any]:
    for value in given[:64] if isinstance(given, (list, tuple)) else [given]:
        if isinstance(value, torch.Tensor):
            yield value


def _tell(call: Call, tensors: List[Any]) -> None:
    """Only where the code is walked as Python would run it: who calls a function may have turned gradients off."""
    session = call.frame.session
    trace = session.trace
    if not session.is_certain_of_devices or trace.branches or trace.expected or call.frame.source.path != trace.path:
        return
    found = next((refusal for tensor in tensors if (refusal := _refusal(tensor, trace.text)) is not None), None)
    if found is not None:
        error, text, details = found
        trace.fail(Failure(span_of(call.node), REASON, call.name, error, text, operands_of(call), details), trace.path)


def _refusal(tensor: Any, text: str) -> Optional[Tuple[str, str, Dict[str, Any]]]:
    place = device_of(tensor).partition(":")[0] if is_placed(tensor) else ""
    graph = tensor.requires_grad and not is_loose(tensor)
    if place in PLACES - {"cpu"} and not ELSEWHERE.search(text):
        details = {"device": place, "requires_grad": graph}
        place = "cuda" if place == GPU else place
        return "TypeError", f"can't convert {place} device type tensor to numpy", details
    if graph:
        return "RuntimeError", "Can't call numpy() on Tensor that requires grad", {"requires_grad": True}
    return None
