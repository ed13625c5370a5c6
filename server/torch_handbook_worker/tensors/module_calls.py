"""Calls of modules and of their methods that move, count or load."""

from __future__ import annotations

import ast
import inspect
from typing import Any, Callable, Dict, List

import torch
from torch import nn

from torch_handbook_worker.tensors.accelerators import place_of
from torch_handbook_worker.tensors.members import tensors
from torch_handbook_worker.tensors.notes import put_on
from torch_handbook_worker.tensors.operation import Call, constructor_of
from torch_handbook_worker.tensors.tensor_calls import destination
from torch_handbook_worker.tensors.trace import Here, span_of
from torch_handbook_worker.tensors.values import Unknown, words

MethodOf = Callable[[Call, Any], Any]


def _to(call: Call, module: Any) -> Any:
    dtype, device, _ = destination(call.args, call.kwargs)
    return move(module, dtype, _perhaps(call, device))


def _cuda(call: Call, module: Any) -> Any:
    device = call.args[0] if call.args else None
    name = (
        "cuda"
        if device is None
        else f"cuda:{device}"
        if isinstance(device, int)
        else str(device)
        if isinstance(device, str)
        else "?"
    )
    return move(module, None, _perhaps(call, name))


def _cpu(call: Call, module: Any) -> Any:
    return move(module, None, _perhaps(call, "cpu"))


def _perhaps(call: Call, device: Any) -> Any:
    """The device; behind a condition that is not known nobody knows where the weights will be."""
    return "?" if device is not None and call.frame.session.trace.branches else device


def _dtype(call: Call, module: Any) -> Any:
    kinds = {"half": torch.float16, "float": torch.float32, "double": torch.float64, "bfloat16": torch.bfloat16}
    return move(module, kinds[call.short], None)


def _load(call: Call, module: Any) -> Any:
    return Unknown()


def move(module: Any, dtype: Any, device: Any) -> Any:
    """A module with its parameters and buffers as another dtype or on another device; they stay the same objects."""
    for own in tensors(module):
        if dtype is not None and own.dtype.is_floating_point and own.dtype != dtype:
            own.data = torch.empty([*own.shape], dtype=dtype)
        if device is not None:
            put_on(own, device)
    return module


METHODS: Dict[str, MethodOf] = {
    "to": _to, "cuda": _cuda, "cpu": _cpu, "half": _dtype, "float": _dtype, "double": _dtype, "bfloat16": _dtype,
    "load_state_dict": _load,
}  # fmt: skip

# Constructor arguments that change no shape: an unknown one is left out.
HARMLESS = words(
    "p dropout bias eps momentum inplace affine track_running_stats elementwise_affine negative_slope padding_idx reduction "
    "label_smoothing weight add_bias_kv ignore_index max_norm sparse device dtype align_corners mode padding_mode "
    "init_method approximate activation norm_first pos_weight beta alpha margin"
)


# Constructor arguments that are sizes: an unknown one is a free size.
SIZES = words(
    "in_features out_features normalized_shape num_embeddings embedding_dim num_features in_channels out_channels embed_dim "
    "hidden_size input_size d_model dim_feedforward num_channels"
)


def construct(call: Call) -> Any:
    """Make one of torch's modules; remember where, and which expression gave which argument."""
    names = parameters_of(call.callee)
    sizes = call.frame.session.sizes
    for place, (name, value) in enumerate(zip(names, call.args)):
        if name in SIZES and isinstance(value, Unknown) and value.kind in ("", "int", "number"):
            call.args[place] = sizes.standing_for(value)
    for name, value in call.kwargs.items():
        if name in SIZES and isinstance(value, Unknown) and value.kind in ("", "int", "number"):
            call.kwargs[name] = sizes.standing_for(value)
    device = call.kwargs.pop("device", None)
    for name in list(call.kwargs):
        if name in HARMLESS and isinstance(call.kwargs[name], Unknown):
            del call.kwargs[name]
    while (
        call.args
        and isinstance(call.args[-1], Unknown)
        and len(call.args) <= len(names)
        and names[len(call.args) - 1] in HARMLESS
    ):
        call.args.pop()
    if issubclass(call.callee, (nn.Sequential, nn.ModuleList, nn.ModuleDict)):
        call.args = [known_layers(value) for value in call.args]
    if call.args and isinstance(call.args[0], torch.SymInt) and "normalized_shape" in names:
        call.args[0] = [call.args[0]]  # torch asks whether it is a Python int
    if getattr(call.callee, "cls_to_become", None) is not None:
        return lazy(call)
    module = call.callee(*call.args, **call.kwargs)
    return module if device is None else move(module, None, place_of(device))


def parameters_of(kind: Any) -> List[str]:
    """The names of a class's positional constructor parameters."""
    found = SIGNATURES.get(kind)
    if found is None:
        try:
            rows = list(inspect.signature(kind.__init__).parameters.values())[1:]
            found = [row.name for row in rows if row.kind in (row.POSITIONAL_ONLY, row.POSITIONAL_OR_KEYWORD)]
        except (TypeError, ValueError):
            found = []
        SIGNATURES[kind] = found
    return found


class UnknownLayer(nn.Module):
    """Stands in a container for a layer that is not known."""

    def forward(self, *arguments: Any, **named: Any) -> Any:
        return Unknown()


def known_layers(value: Any) -> Any:
    """Arguments of a container with a stand-in for each layer that is not known."""
    if isinstance(value, Unknown):
        return UnknownLayer() if value.item is None else value
    if type(value) in (list, tuple):
        return type(value)(known_layers(item) for item in value)
    if isinstance(value, dict):
        rows = [(key if isinstance(key, str) else f"layer{place}", item) for place, (key, item) in enumerate(value.items())]
        return type(value)((key, known_layers(item)) for key, item in rows)
    return value


class Lazy(nn.Module):
    """A lazy module of torch's until it is called; then it becomes what it stands for."""

    handbook_lazy: Any = None

    def become(self, given: Any) -> None:
        """Take the size that is missing from the first input."""
        kind, args, kwargs = self.__dict__.pop("handbook_lazy")
        size = given.shape[-1] if issubclass(kind, nn.Linear) else given.shape[1]
        made = kind(size, *args, **kwargs)
        kept = {name: value for name, value in self.__dict__.items() if name.startswith("handbook_") or name == "training"}
        self.__dict__.update(made.__dict__)
        self.__dict__.update(kept)
        object.__setattr__(self, "__class__", kind)


def lazy(call: Call) -> Any:
    """A stand-in for a lazy module."""
    made = Lazy()
    made.__dict__["handbook_lazy"] = (
        call.callee.cls_to_become,
        call.args,
        {k: v for k, v in call.kwargs.items() if k != "device"},
    )
    return made


SIGNATURES: Dict[Any, List[str]] = {}


def mark(call: Call, module: Any) -> None:
    """Remember where a module was made."""
    found: Any = call.node if isinstance(call.node, ast.Call) else None
    names = parameters_of(type(module)) if type(module).__module__.startswith("torch.") else []
    spans = dict(zip(names, (span_of(value) for value in getattr(found, "args", []))))
    spans.update({row.arg: span_of(row.value) for row in getattr(found, "keywords", []) if row.arg})
    module.__dict__["handbook_made"] = Here(call.frame.source.path, span_of(call.node))
    module.__dict__["handbook_arguments"] = spans


def made_at(call: Call, module: Any) -> Any:
    """The place that a reader looks at for a layer inside a container: where it was made, if that is in this file."""
    path = call.frame.session.trace.path
    span = constructor_of(module, path)
    return None if span is None else Here(path, span)


def is_chain(module: Any) -> bool:
    """Whether a module calls its children one after the other."""
    return isinstance(module, nn.Sequential) and type(module).forward is nn.Sequential.forward
