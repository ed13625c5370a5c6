"""What a loop over a value goes through."""

from __future__ import annotations

import itertools
from typing import Any, List, Optional, Union

import torch
from torch import nn
from torch.utils.data import DataLoader

from torch_handbook_worker.tensors.holes import Misfit
from torch_handbook_worker.tensors.loaders import batches
from torch_handbook_worker.tensors.promises import is_loose, loose
from torch_handbook_worker.tensors.session import Session
from torch_handbook_worker.tensors.sizes import SYMBOLIC, fixed
from torch_handbook_worker.tensors.values import Stream, Unknown

LONGEST = 4096
Items = Union[List[Any], Stream]


def iterate(session: Session, value: Any) -> Items:
    """The items of a value: a list where they are known, a stream where only their kind is."""
    if isinstance(value, Unknown):
        item = value.item
        return Stream(item if item is not None else Unknown)
    if isinstance(value, Stream):
        return value
    if isinstance(value, DataLoader):
        return batches(session, value)
    if session.journal.is_mixed(value):
        return Stream(Unknown, None, vague=True)
    if session.journal.is_blurred(value):
        return _perhaps(value)
    if isinstance(value, torch.Tensor):
        return _rows(value)
    return _list(session, value)


def several(session: Session, value: Any, count: int) -> Items:
    """The items that a value is taken apart into, if there are so many of them."""
    trace = session.trace
    if trace.is_lifted and isinstance(value, torch.Size) and len(value) == count + 1 and not trace.branches:
        raise Misfit
    if isinstance(value, torch.Tensor):
        known = value.shape[0] if value.dim() else 0
        if isinstance(known, SYMBOLIC):
            return [value[place] for place in range(count)]
    if isinstance(value, Unknown) and value.item is None:
        return Stream(Unknown)
    return iterate(session, value)


def _perhaps(value: Any) -> Stream:
    """The items of a container of which not all are known: those that are, again and again."""
    known = list(value)[:8] if isinstance(value, (list, nn.ModuleList, nn.Sequential)) else []
    rows = itertools.cycle(known or [Unknown()])
    return Stream(lambda: next(rows), None, vague=True)


def _rows(value: Any) -> Items:
    count, doubt = fixed(value.shape[0]) if value.dim() else None, is_loose(value)
    if count is not None and count <= 64:
        return [_as_sure(row, doubt) for row in value.unbind(0)]
    return Stream(lambda: _as_sure(value[0], doubt), count, size=value.shape[0] if value.dim() and count is None else None)


def _as_sure(row: Any, doubt: str) -> Any:
    """A row is no more certain than the whole."""
    return loose(row, doubt) if doubt else row


def _list(session: Session, value: Any) -> Items:
    try:
        items = list(itertools.islice(iter(value), LONGEST + 1))
    except Exception as error:
        session.trace.gap(session.trace.here.span, f"a loop over {type(value).__name__}: {error}")
        return Stream(Unknown)
    if len(items) > LONGEST:
        first = items[0]
        return Stream((lambda: Unknown("int")) if isinstance(first, int) else (lambda: first), _count(value))
    return items


def _count(value: Any) -> Optional[int]:
    return len(value) if isinstance(value, range) else None
