"""Unknown branches: both arms are walked from the same state, and what they leave is joined."""

from __future__ import annotations

from typing import Any, Callable, Dict, List

import torch
from torch import nn

from torch_handbook_worker.tensors import arrays
from torch_handbook_worker.tensors.accelerators import either_device
from torch_handbook_worker.tensors.arrays import Array
from torch_handbook_worker.tensors.notes import device_of, put_on
from torch_handbook_worker.tensors.promises import less_certain, loose
from torch_handbook_worker.tensors.session import Session
from torch_handbook_worker.tensors.sizes import SYMBOLIC, expression_of
from torch_handbook_worker.tensors.values import UNKNOWN, Unknown


def fork(session: Session, first: Callable[[], Any], second: Callable[[], Any]) -> Any:
    """The joined value of two expressions of which one is computed."""
    values: List[Any] = []
    states: List[Any] = []
    number = session.trace.new_fork()
    for place, arm in enumerate((first, second)):
        value, changes = in_arm(session, number, place, arm)
        session.journal.back(changes)
        values.append(value)
        states.append(changes)
    session.journal.settle(states, lambda one, other: join(session, one, other))
    return join(session, values[0], values[1])


def in_arm(session: Session, number: int, place: int, arm: Callable[[], Any]) -> Any:
    """Run one arm of a fork; give its result and what it changed."""
    before = session.trace.branches
    session.trace.branches = (*before, (number, place))
    try:
        return session.journal.run(arm)
    finally:
        session.trace.branches = before


def join(session: Session, one: Any, other: Any) -> Any:
    """One value for two that are both possible."""
    if one is other:
        return one
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        return _tensors(session, one, other)
    if isinstance(one, Array) or isinstance(other, Array):
        return arrays.common(one, other)
    device = either_device(one, other)
    if device is not None:
        return device
    if isinstance(one, Unknown) and isinstance(other, Unknown):
        return one if one.kind == other.kind else UNKNOWN
    if type(one) is type(other):
        if isinstance(one, (tuple, list)) and len(one) == len(other) and type(one) in (tuple, list):
            return type(one)(join(session, left, right) for left, right in zip(one, other))
        if isinstance(one, (int, float, str, bytes, torch.dtype, torch.device, range)) and one == other:
            return one
    if type(one) is dict and type(other) is dict:
        return _dicts(session, one, other)
    if isinstance(one, nn.Module) and isinstance(other, nn.Module):
        return Either(session, one, other)
    return Unknown(_kind(one) if _kind(one) == _kind(other) else "")


def _dicts(session: Session, one: Dict[Any, Any], other: Dict[Any, Any]) -> Any:
    """What is common to two dicts; what only one of them has may be there, with a value that is not known."""
    made = {key: join(session, one[key], other[key]) if key in one and key in other else Unknown() for key in {**one, **other}}
    if one.keys() != other.keys():
        session.journal.lose(made)
    return made


class Either(nn.Module):
    """One of two modules, it is not known which: a call gives what is common to both results."""

    def __init__(self, session: Session, one: Any, other: Any) -> None:
        super().__init__()
        self.__dict__["handbook_choice"] = (session, one, other)

    def forward(self, *arguments: Any, **named: Any) -> Any:
        session, one, other = self.__dict__["handbook_choice"]
        return join(session, one(*arguments, **named), other(*arguments, **named))

    def __deepcopy__(self, memo: Any) -> Any:
        return self


def _kind(value: Any) -> str:
    if isinstance(value, Unknown):
        return value.kind
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, (int, torch.SymInt)):
        return "int"
    if isinstance(value, (float, *SYMBOLIC)):
        return "number"
    if isinstance(value, str):
        return "str"
    if isinstance(value, torch.device):
        return "device"
    if isinstance(value, nn.Module):
        return "module"
    return ""


def _tensors(session: Session, one: Any, other: Any) -> Any:
    if one.dim() != other.dim() or one.dtype != other.dtype:
        return Unknown("tensor")
    if device_of(one) != device_of(other):
        put_on(one, "?")
        put_on(other, "?")
    pairs = list(zip(one.shape, other.shape))
    equal = [expression_of(left) == expression_of(right) for left, right in pairs]
    if all(equal):
        return less_certain(one, other) if one.requires_grad or not other.requires_grad else less_certain(other, one)
    sizes = [left if is_equal else session.sizes.free("n") for is_equal, (left, _) in zip(equal, pairs)]
    made = torch.empty(sizes, dtype=one.dtype)
    if (one.requires_grad or other.requires_grad) and torch.is_grad_enabled():
        made = made.requires_grad_() * 1
    return put_on(loose(made), device_of(one))
