"""Networks of libraries that the user allows to be imported: the library's own code runs, on tensors without data.

Nothing is fetched and no weights are read: what would ask for them is told not to.
"""

from __future__ import annotations

import contextlib
import inspect
import os
from typing import Any, Dict, Generator, Sequence

import torch
from torch import nn

from torch_handbook_worker.protocol import LIBRARIES
from torch_handbook_worker.tensors.holes import Hole, fill_by_layer, input_of
from torch_handbook_worker.tensors.names import allowed
from torch_handbook_worker.tensors.operation import Call
from torch_handbook_worker.tensors.outcome import settle
from torch_handbook_worker.tensors.trace import span_of
from torch_handbook_worker.tensors.values import UNKNOWN, UnknownValue, unknown_in

WEIGHTS = ("weights", "weights_backbone", "pretrained", "pretrained_backbone", "checkpoint_path")
READING = frozenset({"from_pretrained", "load_pretrained", "get_state_dict", "load_checkpoint", "save_pretrained"})
OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}


@contextlib.contextmanager
def importing(libraries: Sequence[str]) -> Generator[None, None, None]:
    """While a file is walked, these may be imported; none of them reaches the network."""
    allowed[:] = [name for name in libraries if name in LIBRARIES]
    fetch = torch.hub.download_url_to_file
    if allowed:
        os.environ.update(OFFLINE)
        torch.hub.download_url_to_file = _refuse
    try:
        yield
    finally:
        allowed.clear()
        torch.hub.download_url_to_file = fetch


def _refuse(*arguments: Any, **named: Any) -> None:
    raise RuntimeError("nothing is fetched where code is only looked at")


def is_imported(value: Any) -> bool:
    """Whether a function, a class or a module is such a library's own."""
    home = getattr(value if callable(value) and hasattr(value, "__qualname__") else type(value), "__module__", None)
    return bool(allowed) and isinstance(home, str) and home.split(".")[0] in allowed


def call_library(call: Call) -> Any:
    """Call it as it is, without weights; what it raises is a gap, and no mistake of the user's."""
    module = call.callee if isinstance(call.callee, nn.Module) else None
    if module is not None:
        _fill(call, module)
    kwargs = call.kwargs if module is not None else _weightless(call)
    if getattr(call.callee, "__name__", "") in READING or unknown_in([call.args, kwargs]) is not None:
        return UNKNOWN
    try:
        with contextlib.nullcontext() if module is not None else _zeros():
            result = call.callee(*call.args, **kwargs)
    except Exception as error:
        call.frame.session.trace.gap(span_of(call.node), f"{type(error).__name__}: {error}", call.frame.source.path)
        return UNKNOWN
    return settle(call, result)


def _weightless(call: Call) -> Dict[str, Any]:
    """The arguments, with all that would load weights turned off, also where that is what happens by default."""
    try:
        known = inspect.signature(call.callee).parameters
    except (TypeError, ValueError):
        known = {}
    kept = {name: value for name, value in call.kwargs.items() if name not in WEIGHTS}
    return {**kept, **{name: False if name.startswith("pretrained") else None for name in WEIGHTS if name in known}}


@contextlib.contextmanager
def _zeros() -> Generator[None, None, None]:
    """Constructors read rates out of small tensors, as of stochastic depth: without data each is 0.

    Whole numbers may be sizes, as RegNet's widths are, and stay unknown.
    """
    torch.Tensor.item, torch.Tensor.tolist = _item, _tolist  # type: ignore[method-assign]
    try:
        yield
    finally:
        del torch.Tensor.item, torch.Tensor.tolist


def _item(tensor: Any) -> Any:
    if not tensor.dtype.is_floating_point:
        raise UnknownValue("a number that a library reads out of a tensor")
    return 0.0


def _tolist(tensor: Any) -> Any:
    return [_tolist(row) for row in tensor.unbind(0)] if tensor.dim() else _item(tensor)


def _fill(call: Call, module: Any) -> None:
    """An input that nothing is known of is what the network's first layer takes."""
    given = call.args[0] if call.args else None
    if isinstance(given, Hole) and not isinstance(given, torch.Tensor):
        first = next((part for part in module.modules() if input_of(part) is not None), None)
        if first is not None:
            fill_by_layer(given, first)
