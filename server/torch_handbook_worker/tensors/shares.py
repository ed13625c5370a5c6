"""What each unit of a walk says of the modules of one class: as text to compare them, and as plain data for the next look."""

from __future__ import annotations

import functools
import re
from typing import Any, Callable, Dict, List, NamedTuple, Tuple

import torch

from torch_handbook_worker.tensors.constructors import initialiser
from torch_handbook_worker.tensors.functions import Row
from torch_handbook_worker.tensors.members import layers
from torch_handbook_worker.tensors.promises import is_loose
from torch_handbook_worker.tensors.session import Session
from torch_handbook_worker.tensors.values import UNKNOWN

PLAIN = (str, bytes, float, bool, type(None), torch.dtype, torch.device, type)
SYMBOL = re.compile(r"\bs(\d{5})\b")


class Unclear(Exception):
    """A value that cannot be compared with that of another look."""


class Names:
    """How values are called that are other objects in each look. Of none of them this says a name."""

    def size(self, number: int) -> Any:
        """The name of the free size of a number. Raises Unclear."""
        raise Unclear

    def defined(self, value: Any) -> Any:
        """The name of a function or a class of the file. Raises Unclear."""
        raise Unclear


class Part(NamedTuple):
    """A module inside one that was called, and the unit in which that was."""

    module: Any
    unit: Any


class Share(NamedTuple):
    """What one unit says of the modules of one class."""

    calls: Tuple[str, ...]  # what those were made with whose forward was called, by call
    others: Tuple[str, ...]  # and those of which nothing was called
    values: Any  # all of it as plain data; equal to nothing else where that is not possible


def parts_by_unit(session: Session) -> List[Part]:
    """The modules inside those that were called."""
    found: Dict[int, Part] = {}
    for rows in list(session.calls.values()):
        for row in rows:
            for part in layers(row.module) if row.module is not None else ():
                if part is not row.module:
                    found.setdefault(id(part), Part(part, row.unit))
    return list(found.values())


def shares(calls: List[Row], others: List[Part], names: Callable[[Any], Names] = lambda unit: Names()) -> Dict[Any, Share]:
    """By unit: what it says of these modules."""
    found: Dict[Any, Share] = {}
    for unit in dict.fromkeys(row.unit for row in (*calls, *others)):
        own, parts = [row for row in calls if row.unit == unit], [part for part in others if part.unit == unit]
        texts = tuple(_made_with(row.module) for row in own), tuple(_made_with(part.module) for part in parts)
        found[unit] = Share(*texts, _values(own, parts, names(unit)))
    return found


def _made_with(module: Any) -> str:
    rows = module.__dict__.get("handbook_bound", {}).values()
    return _text([list(row.values())[1:] for row in rows])


def _text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_text, value))
    return str(value) if isinstance(value, (*PLAIN, int, torch.SymInt)) and not isinstance(value, type) else type(value).__name__


def _values(calls: List[Row], parts: List[Part], names: Names) -> Any:
    try:
        called = [(_of_module(row.module, names), _of(list(row.bound.items())[1:], names, True)) for row in calls]
        return tuple(called), tuple(_of_module(part.module, names) for part in parts)
    except Unclear:
        return object()


def _of_module(module: Any, names: Names) -> Any:
    init = initialiser(type(module))
    bound = module.__dict__.get("handbook_bound", {}).get(id(init)) if init is not None else {}
    return module.training, None if bound is None else _of(list(bound.items())[1:], names, False)


def _of(value: Any, names: Names, is_input: bool) -> Any:
    """A value as plain data. Raises Unclear."""
    if isinstance(value, (list, tuple)):
        return (type(value), *(_of(part, names, is_input) for part in value))
    if isinstance(value, dict):
        return (dict, *(_of(part, names, is_input) for part in value.items()))
    if isinstance(value, torch.SymInt):
        return "size", SYMBOL.sub(lambda found: f"<{names.size(int(found[1]))}>", str(value.node.expr))
    if isinstance(value, torch.Tensor) and is_input:
        return "tensor", _of(list(value.shape), names, True), value.dtype, is_loose(value)
    if isinstance(value, functools.partial):
        return (functools.partial, *(_of(part, names, is_input) for part in (value.func, value.args, value.keywords)))
    is_torch = (
        isinstance(value, type) and value.__module__.split(".")[0] in ("torch", "builtins") and not hasattr(value, "written")
    )
    if value is UNKNOWN or is_torch:
        return value
    if isinstance(value, (str, bytes, float, int, type(None), torch.dtype, torch.device)) and not isinstance(value, type):
        return type(value), value
    return names.defined(value)
