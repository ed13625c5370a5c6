"""Tensor methods that torch cannot answer without data, or that speak of devices."""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, List, Optional, Tuple

import torch

from torch_handbook_worker.tensors.accelerators import GPU, Accelerator
from torch_handbook_worker.tensors.arrays import Array
from torch_handbook_worker.tensors.notes import device_of, put_on
from torch_handbook_worker.tensors.operation import Call
from torch_handbook_worker.tensors.outcome import raised, settle
from torch_handbook_worker.tensors.promises import is_loose, loose
from torch_handbook_worker.tensors.sizes import fixed
from torch_handbook_worker.tensors.to_numpy import watch_method
from torch_handbook_worker.tensors.trace import Here, span_of
from torch_handbook_worker.tensors.values import UNKNOWN, Unknown, each

Method = Callable[[Call, Any], Any]
METHODS: Dict[str, Method] = {}
LONG = 1024  # parts


def method(*names: str) -> Callable[[Method], Method]:
    """Registers how the tensor methods `names` are walked."""

    def register(function: Method) -> Method:
        METHODS.update(dict.fromkeys(names, function))
        return function

    return register


@method("item", "__float__", "__int__", "__bool__", "data_ptr", "get_device", "storage_offset", "is_nonzero")
def _scalar(call: Call, tensor: Any) -> Any:
    if call.short == "item" and tensor.dtype is torch.bool:
        return Unknown("bool")
    return Unknown("number" if tensor.dtype.is_floating_point else "int")


@method("tolist")
def _tolist(call: Call, tensor: Any) -> Any:
    sizes = [fixed(size) for size in tensor.shape]
    if None in sizes or math.prod(sizes) > 256:
        return Unknown(item=Unknown)
    return _nested(sizes, "number" if tensor.dtype.is_floating_point else "int")


def _nested(sizes: List[Any], kind: str) -> Any:
    return Unknown(kind) if not sizes else [_nested(sizes[1:], kind) for _ in range(sizes[0])]


@method("numpy", "storage", "untyped_storage", "__array__", "share_memory_", "pin_memory", "register_hook", "retain_grad")
def _outside(call: Call, tensor: Any) -> Any:
    if call.short in ("share_memory_", "pin_memory"):
        return tensor
    if call.short == "numpy":
        watch_method(call, tensor)
    if call.short == "numpy" and is_loose(tensor) != "shape":
        return Array(tensor.detach(), bool(is_loose(tensor)))
    if call.short == "retain_grad":
        return tensor.retain_grad()
    return UNKNOWN


@method("unbind")
def _unbind(call: Call, tensor: Any) -> Any:
    return unbound(call, tensor, call.argument(1, "dim", 0))


def unbound(call: Call, tensor: Any, axis: Any) -> Any:
    """The parts along an axis, as many as it is long; where that is free, it is only known what each of them is."""
    if not isinstance(axis, int) or not -tensor.dim() <= axis < tensor.dim() or (fixed(tensor.shape[axis]) or LONG) < LONG:
        return call.frame.session.carry_out(call)
    return Unknown(item=lambda: settle(call, tensor.select(axis, 0)))


@method("resize_")
def _resize(call: Call, tensor: Any) -> Any:
    given = call.args[0] if len(call.args) == 1 and isinstance(call.args[0], (list, tuple)) else call.args
    free = call.frame.session.sizes.standing_for
    sizes = [free(size) if isinstance(size, Unknown) else size for size in given]
    if not all(isinstance(size, (int, torch.SymInt)) for size in sizes):
        return UNKNOWN
    if tensor.requires_grad:
        try:
            tensor.resize_(sizes)
        except Exception as error:
            return raised(call, error)
    tensor.data = torch.empty(sizes, dtype=tensor.dtype)  # torch's own does not know free sizes
    return tensor


@method("to")
def _to(call: Call, tensor: Any) -> Any:
    dtype, device, vague = destination(call.args, call.kwargs)
    made = tensor
    if dtype is not None and dtype != tensor.dtype:
        made = tensor.to(dtype)
    elif call.kwargs.get("copy") is True:
        made = tensor.clone()
    made = _moved(call, tensor, made, device)
    if vague:
        made = made.view(made.shape) if made is tensor else made
        loose(made, "dtype")
    return made


def _moved(call: Call, tensor: Any, made: Any, device: Optional[str]) -> Any:
    """The tensor on another device: a new one where it really moves, and no leaf then."""
    settle(call, made)
    if device is None or device == device_of(made):
        return made
    if made is tensor and not (tensor.requires_grad and device in ("?", GPU)):  # on some machines it stays where it is
        made = tensor.clone() if tensor.requires_grad else tensor.view(tensor.shape)
        settle(call, made)
    return put_on(made, device)


def destination(args: Any, kwargs: Any) -> Tuple[Optional[Any], Optional[str], bool]:
    """The dtype and the device that arguments of `.to` name, and whether there is one that is not known."""
    dtype, device, vague = None, None, False
    for value in [*args, kwargs.get("dtype"), kwargs.get("device")]:
        if isinstance(value, torch.dtype):
            dtype = value
        elif isinstance(value, torch.Tensor):
            dtype, device = value.dtype, device_of(value)
        elif isinstance(value, (torch.device, str)):
            device = str(value)
        elif isinstance(value, bool) or value is None:
            continue
        elif isinstance(value, int):
            device = f"cuda:{value}"
        elif isinstance(value, Accelerator):
            device = GPU
        elif isinstance(value, Unknown):
            device = "?"
            vague = vague or (value.kind != "device" and not any(part in value.name for part in ("device", "gpu", "rank")))
    return dtype, device, vague


@method("cuda", "cpu", "xpu", "mps")
def _device_method(call: Call, tensor: Any) -> Any:
    device = call.args[0] if call.args else call.kwargs.get("device")
    name = call.short if device is None else str(device) if isinstance(device, (str, torch.device)) else "?"
    return _moved(call, tensor, tensor, f"cuda:{device}" if isinstance(device, int) and not isinstance(device, bool) else name)


@method("type")
def _type(call: Call, tensor: Any) -> Any:
    if not call.args and not call.kwargs:
        return Unknown("str")
    wanted = call.args[0] if call.args else call.kwargs.get("dtype")
    return settle(call, tensor.to(wanted)) if isinstance(wanted, torch.dtype) else UNKNOWN


@method("type_as")
def _type_as(call: Call, tensor: Any) -> Any:
    other = call.args[0]
    if not isinstance(other, torch.Tensor):
        return UNKNOWN
    return _moved(call, tensor, tensor.to(other.dtype), device_of(other))


@method("backward")
def _backward(call: Call, tensor: Any) -> Any:
    backward(call, [tensor], lambda: tensor.backward(*call.args, **call.kwargs))


def backward(call: Call, roots: List[Any], run: Callable[[], Any]) -> Any:
    """Go backward for real; say what was changed since it was saved, and go on as if it had worked."""
    session = call.frame.session
    here = Here(call.frame.source.path, span_of(call.node))
    result: Any = None
    with session.graph.watch() as stale:
        try:
            result = run()
        except Exception as error:
            _after_failure(call, roots, error)
    session.graph.report(list(stale), here)
    return result


def _after_failure(call: Call, roots: List[Any], error: BaseException) -> None:
    text = str(error)
    if "second time" in text or "does not require grad and does not have" in text or "only for scalar outputs" in text:
        raised(call, error)
        return
    for leaf in leaves(roots):
        if leaf.grad is None:
            leaf.grad = torch.zeros_like(leaf, requires_grad=False)


def leaves(roots: List[Any], limit: int = 4000) -> List[Any]:
    """The leaves that a backward pass from `roots` would give gradients to."""
    stack: List[Any] = [value.grad_fn for value in each(roots) if isinstance(value, torch.Tensor) and value.grad_fn is not None]
    seen = set()
    found: List[Any] = []
    while stack and len(seen) < limit:
        node = stack.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        variable = getattr(node, "variable", None)
        if variable is not None:
            found.append(variable)
        stack.extend(row[0] for row in node.next_functions)
    return found
