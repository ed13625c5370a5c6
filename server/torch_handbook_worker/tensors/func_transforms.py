"""vmap and the derivatives of torch.func: the function is walked once, on one sample, and the result has the shape that follows.

torch's own transforms refuse the hooks by which the interpreter watches what autograd saves.
"""

from __future__ import annotations

from typing import Any, Callable, List

import torch

from torch_handbook_worker.tensors.operation import Call
from torch_handbook_worker.tensors.torch_calls import named
from torch_handbook_worker.tensors.values import UNKNOWN, Unknown, each

Change = Callable[[Any], Any]


def _each(value: Any, change: Change) -> Any:
    """Nested tuples, lists and dicts with their tensors changed."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, dict):
        return {key: _each(item, change) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_each(item, change) for item in value))
    if isinstance(value, (list, tuple)):
        return type(value)(_each(item, change) for item in value)
    return value


def _walked(call: Call) -> Any:
    """The function that is transformed, as one that is walked when it is called."""
    session = call.frame.session
    return lambda *given, **named: session.call(call.frame, call.node, call.args[0], list(given), named)


@named("torch.vmap", "torch.func.vmap")
def _vmap(call: Call) -> Any:
    if not call.args:
        return UNKNOWN
    inner, in_dims, out_dims = _walked(call), call.argument(1, "in_dims", 0), call.argument(2, "out_dims", 0)

    def mapped(*given: Any, **named: Any) -> Any:
        axes = in_dims if isinstance(in_dims, (list, tuple)) else [in_dims] * len(given)
        if len(axes) != len(given) or not all(axis is None or isinstance(axis, int) for axis in axes):
            return UNKNOWN
        sizes = [row.shape[axis] for value, axis in zip(given, axes) if axis is not None for row in each(value) if _has(row)]
        if not sizes or not isinstance(out_dims, int):
            return UNKNOWN
        samples = [value if axis is None else _each(value, _select(axis)) for value, axis in zip(given, axes)]
        samples_named = {name: _each(value, _select(0)) for name, value in named.items()}
        return _each(inner(*samples, **samples_named), _batch(sizes[0], out_dims))

    return mapped


def _has(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.dim() > 0


def _select(axis: int) -> Change:
    return lambda tensor: tensor.select(axis, 0) if tensor.dim() else tensor


def _batch(size: Any, axis: int) -> Change:
    def change(tensor: Any) -> Any:
        wide = tensor.unsqueeze(axis)
        sizes: List[Any] = [*wide.shape]
        sizes[axis] = size
        return wide.expand(sizes)

    return change


@named("torch.func.grad", "torch.func.grad_and_value")
def _grad(call: Call) -> Any:
    if not call.args:
        return UNKNOWN
    inner, which, both = _walked(call), call.argument(1, "argnums", 0), call.short == "grad_and_value"
    aux = call.argument(2, "has_aux", False)

    def derived(*given: Any, **named: Any) -> Any:
        value = inner(*given, **named)
        found = _given(which, given, lambda row: _each(row, torch.zeros_like))
        if isinstance(found, Unknown) or not isinstance(aux, bool):
            return UNKNOWN
        if both:
            return found, value
        return (found, value[1] if isinstance(value, tuple) and len(value) == 2 else UNKNOWN) if aux else found

    return derived


@named("torch.func.jacrev", "torch.func.jacfwd", "torch.func.hessian")
def _jacobian(call: Call) -> Any:
    """All derivatives of all outputs: the axes of the output, then those of the input, once more for second derivatives."""
    if not call.args:
        return UNKNOWN
    inner, which, twice = _walked(call), call.argument(1, "argnums", 0), call.short == "hessian"

    def derived(*given: Any, **named: Any) -> Any:
        value = inner(*given, **named)
        plain = isinstance(value, torch.Tensor) and isinstance(which, int) and which < len(given)
        if not plain or not isinstance(given[which], torch.Tensor) or call.argument(2, "has_aux", False) is not False:
            return UNKNOWN
        tensor = given[which]
        return torch.empty([*value.shape, *tensor.shape, *(tensor.shape if twice else ())], dtype=tensor.dtype)

    return derived


def _given(which: Any, given: Any, change: Change) -> Any:
    rows = which if isinstance(which, tuple) else (which,)
    if not all(isinstance(row, int) and row < len(given) for row in rows):
        return UNKNOWN
    found = tuple(change(given[row]) for row in rows)
    return found if isinstance(which, tuple) else found[0]
