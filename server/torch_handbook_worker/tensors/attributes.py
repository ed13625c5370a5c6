"""`value.name`, read and written."""

from __future__ import annotations

import contextlib
import types
from typing import Any

import torch
from torch import nn

from torch_handbook_worker.tensors import arrays
from torch_handbook_worker.tensors.accelerators import GPU, Accelerator
from torch_handbook_worker.tensors.arrays import Array
from torch_handbook_worker.tensors.holes import Hole, HoleMember
from torch_handbook_worker.tensors.names import DUNDERS, attribute_is_open, module_named
from torch_handbook_worker.tensors.notes import device_of
from torch_handbook_worker.tensors.options import CLOSED as CLOSED_OPTIONS
from torch_handbook_worker.tensors.options import Options
from torch_handbook_worker.tensors.promises import SAME
from torch_handbook_worker.tensors.scopes import Frame
from torch_handbook_worker.tensors.sizes import fixed
from torch_handbook_worker.tensors.trace import span_of
from torch_handbook_worker.tensors.values import UNKNOWN, Stream, Unknown

CLOSED = frozenset({"from_file", "f_globals", "gi_frame", "cr_frame", "tb_frame", "mro", "func_globals"})


# What has no state of a file's own: writing to it would change what every later file is looked at with.
SHARED = (
    types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.MethodDescriptorType,
    types.WrapperDescriptorType, types.GetSetDescriptorType, types.MemberDescriptorType, types.MappingProxyType,
)  # fmt: skip


def is_shared(value: Any) -> bool:
    """Whether it is Python's or a library's own, and not made by the code that is walked."""
    if isinstance(value, type):
        return "written" not in vars(value)  # the mark of a class statement's class
    return isinstance(value, SHARED)


def read(frame: Frame, node: Any, value: Any, name: str) -> Any:
    """`value.name`."""
    if isinstance(value, Hole):
        return hole_attribute(frame, node, value, name)
    if isinstance(value, Array):
        if name == "resize":
            return lambda *sizes, **named: _write_array(frame, value, "resize", sizes)
        return arrays.attribute(value, name)
    if isinstance(value, Options) and name not in CLOSED_OPTIONS:
        return read_option(frame, value, name)
    if isinstance(value, (Unknown, Stream)):
        if name == "GradScaler":
            return torch.amp.GradScaler
        own = name.startswith("__") or name in ("kind", "name", "item", "number", "usual")
        measure = frame.session.measure
        if measure is not None and name in measure.sizes and isinstance(value, Unknown):
            return measure.sizes[name]  # `config.n_layer`, of which the user says what it is
        open_to_all = isinstance(value, Unknown) and not own
        return getattr(value, name) if open_to_all else Unknown(name=name)
    if name in CLOSED or (name.startswith("__") and name.endswith("__") and name not in DUNDERS):
        return UNKNOWN
    if isinstance(value, torch.Tensor):
        found = _tensor(value, name)
        if found is not None:
            return found
    if name == "__dict__" and is_shared(value):
        return UNKNOWN
    if isinstance(value, types.ModuleType):
        return _module(value, name)
    try:
        found = getattr(value, name)
    except Exception as error:
        frame.session.trace.gap(span_of(node), f"{type(error).__name__}: {error}", frame.source.path)
        return UNKNOWN
    if isinstance(found, torch.Tensor) and not isinstance(value, torch.Tensor) and is_placeholder(found):
        return UNKNOWN
    return UNKNOWN if frame.session.journal.is_blurred(found) and not isinstance(found, (list, dict, set, nn.Module)) else found


def read_option(frame: Frame, options: Options, name: str) -> Any:
    """`args.name`; which numbers were read is remembered."""
    if name.startswith("__"):
        options.is_lost = True  # `args.__dict__` may be changed
        return UNKNOWN
    session = frame.session
    value = options.read(name, session.is_plain or session.measure is not None)
    default = value.usual if isinstance(value, Unknown) else value
    if type(default) is int:
        session.defaults[name] = default
        return session.changed.get(name, value)
    return value


def is_placeholder(tensor: Any) -> bool:
    """Whether a tensor that an object keeps is empty: it stands for one that comes later, from code that is not walked here."""
    return any(fixed(size) == 0 for size in tensor.shape)


def hole_attribute(frame: Frame, node: Any, hole: Hole, name: str) -> Any:
    """An attribute of an input that nothing is known of: methods that keep the shape give the hole itself."""
    if name in ("shape", "ndim"):
        return getattr(hole, name)
    if name in ("size", "dim"):
        return HoleMember(name, getattr(hole, name))
    if name in SAME:
        return HoleMember(name, lambda *arguments, **named: hole)
    return Unknown(name=name)


def _tensor(value: Any, name: str) -> Any:
    if name == "device":
        device = device_of(value)
        return Accelerator() if device == GPU else Unknown("device") if device == "?" else torch.device(device)
    if name in ("is_cuda", "is_cpu"):
        device = device_of(value)
        return Unknown("bool") if device in ("?", GPU) else device.startswith(name[3:])
    return None


class Compilers:
    """Stands for `torch.jit` and `torch.compiler`: nothing is compiled where code is walked, and all else of them is unknown."""

    def __getattr__(self, name: str) -> Any:
        return (lambda *arguments: False) if name in NEVER else Unknown(name=name)


NEVER = frozenset({"is_scripting", "is_tracing", "is_compiling", "is_dynamo_compiling", "is_exporting"})
COMPILERS = Compilers()


def _module(module: Any, name: str) -> Any:
    if module is torch and name in ("jit", "compiler"):
        return COMPILERS
    if module.__name__ == "torch.cuda" or module.__name__.startswith("torch.backends"):
        return Unknown(name=name)
    value = getattr(module, name, None)
    if value is None:
        value = module_named(f"{module.__name__}.{name}")
        if value is None:
            closed = module.__name__ == "torch" and name in ("cuda", "backends", "mps", "jit", "distributed", "hub", "profiler")
            return Unknown(name=name) if closed or not hasattr(module, name) else None
    return value if attribute_is_open(module, name, value) else Unknown(name=name)


def write(frame: Frame, node: Any, value: Any, name: str, assigned: Any) -> None:
    """`value.name = assigned`."""
    if isinstance(value, Array):
        _write_array(frame, value, name, assigned)
    if isinstance(value, Options):
        frame.session.journal.attribute(value, name)
        value.write(name, assigned)
    if isinstance(value, (Unknown, Stream)) or is_shared(value) or name.startswith("__"):
        return
    if isinstance(value, torch.Tensor):
        _write_tensor(frame, node, value, name, assigned)
        return
    frame.session.journal.attribute(value, name)
    try:
        if isinstance(value, nn.Module) and isinstance(assigned, Unknown):
            for registry in (value._parameters, value._modules, value._buffers):
                registry.pop(name, None)
            vars(value)[name] = assigned
        else:
            setattr(value, name, assigned)
    except Exception as error:
        frame.session.trace.gap(span_of(node), f"{type(error).__name__}: {error}", frame.source.path)


def _write_array(frame: Frame, array: Array, name: str, assigned: Any) -> None:
    """`array.shape = …` and `array.resize(…)`: the same array has other sizes then."""
    for own in ("tensor", "is_vague", "item"):
        frame.session.journal.attribute(array, own)
    arrays.change(array, name, assigned)


def delete(frame: Frame, value: Any, name: str) -> None:
    """`del value.name`."""
    if is_shared(value):
        return
    frame.session.journal.attribute(value, name)
    with contextlib.suppress(Exception):
        delattr(value, name)


def _write_tensor(frame: Frame, node: Any, value: Any, name: str, assigned: Any) -> None:
    if isinstance(assigned, Unknown) or name == "device":
        return
    try:
        with frame.session.trace.at(frame.source.path, node):
            setattr(value, name, assigned)
    except Exception as error:
        frame.session.trace.gap(span_of(node), f"{type(error).__name__}: {error}", frame.source.path)
