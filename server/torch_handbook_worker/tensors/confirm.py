"""Runs a failing operation once on real zeros of the same sizes, so that only what torch itself refuses is called a failure."""

from __future__ import annotations

import contextlib
import copy
from typing import Any, Generator, Optional

import torch
from torch import nn
from torch._dispatch.python import no_python_dispatcher

from torch_handbook_worker.tensors.sizes import SYMBOLIC, fixed

LARGEST = 20_000_000  # elements in all


class TooLarge(Exception):
    """The tensors are too large to be made."""


class Refused(Exception):
    """What is called cannot be run for real."""


@contextlib.contextmanager
def eager() -> Generator[None, None, None]:
    """Torch as it always is: tensors with data, no fakes, and operators as they are in C++, which look at dtypes, too."""
    from torch.utils._python_dispatch import _disable_current_modes

    with _disable_current_modes(), no_python_dispatcher():
        yield


def refusal(callee: Any, args: Any, kwargs: Any) -> Optional[BaseException]:
    """What torch raises for the call; None where it runs. Raises TooLarge or Refused where that cannot be told."""
    budget = [LARGEST]
    with eager():
        real_callee = _callee(callee, budget)
        real_args = [_real(value, budget) for value in args]
        real_kwargs = {name: _real(value, budget) for name, value in kwargs.items()}
        try:
            with torch.enable_grad() if torch.is_grad_enabled() else torch.no_grad():
                real_callee(*real_args, **real_kwargs)
        except Exception as error:
            return error
    return None


def _callee(callee: Any, budget: Any) -> Any:
    if isinstance(callee, nn.Module):
        return _real(callee, budget)
    owner = getattr(callee, "__self__", None)
    if isinstance(owner, torch.Tensor):
        return getattr(_real(owner, budget), callee.__name__)
    return callee


def _real(value: Any, budget: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return _tensor(value, budget)
    if isinstance(value, nn.Module):
        return _module(value, budget)
    if isinstance(value, SYMBOLIC):
        raise Refused
    if type(value) in (list, tuple):
        return type(value)(_real(item, budget) for item in value)
    if type(value) is dict:
        return {key: _real(item, budget) for key, item in value.items()}
    return value


def _tensor(value: Any, budget: Any) -> Any:
    sizes = [fixed(size) for size in value.shape]
    strides = [fixed(stride) for stride in value.stride()]
    if None in sizes or None in strides:
        raise Refused
    extent = 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides)) if all(sizes) else 1
    budget[0] -= extent
    if budget[0] < 0:
        raise TooLarge
    return torch.as_strided(torch.zeros(max(extent, 1), dtype=value.dtype), sizes, strides)


def _module(value: Any, budget: Any) -> Any:
    if not type(value).__module__.startswith("torch.nn."):
        raise Refused
    made = copy.copy(value)
    made.__dict__ = dict(value.__dict__)
    made._parameters = {
        name: None if own is None else nn.Parameter(_tensor(own, budget), requires_grad=own.requires_grad)
        for name, own in value._parameters.items()
    }
    made._buffers = {name: None if own is None else _tensor(own, budget) for name, own in value._buffers.items()}
    made._modules = {name: None if own is None else _module(own, budget) for name, own in value._modules.items()}
    if isinstance(made, nn.RNNBase):
        made._flat_weights = [made._parameters.get(name) for name in made._flat_weights_names]
    return made
