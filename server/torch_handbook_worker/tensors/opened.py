"""Functions that were called with numbers for sizes, walked once more with free ones: only so it shows which axis is which.

(1, 4, 8, 8) may be read as (1, 8, 32) in many ways; (B, 4, T, 8) as (B, T, 32) in one, and that moves T.
"""

from __future__ import annotations

import ast
from typing import Any, Dict, List

import torch

from torch_handbook_worker.tensors.functions import Function
from torch_handbook_worker.tensors.holes import ACTIVE, Filled, Hole, tensor_for
from torch_handbook_worker.tensors.remarks import REASON
from torch_handbook_worker.tensors.scrambles import VIEWS
from torch_handbook_worker.tensors.session import Session
from torch_handbook_worker.tensors.sizes import is_free
from torch_handbook_worker.tensors.uncalled import MOST, RESTARTS, Failures
from torch_handbook_worker.tensors.unit import Unit

STEPS = 20_000  # for one function


def walk_opened(session: Session) -> None:
    """Walk the functions of the file that cut tensors anew and were called with sizes that are all numbers."""
    for function in list(session.functions):
        if session.fakes.count > MOST:
            return
        if function.seen and _cuts(function.node) and any(_is_plain(value) for value in function.seen.values()):
            with Unit(session):
                _walk(session, function)


def _cuts(node: ast.AST) -> bool:
    return any(isinstance(found, ast.Attribute) and found.attr in VIEWS for found in ast.walk(node))


def _is_plain(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.dim() > 1 and not any(map(is_free, value.shape)) and not _is_weight(value)


def _is_weight(value: Any) -> bool:
    return isinstance(value, torch.nn.Parameter)


def _walk(session: Session, function: Function) -> None:
    taken: Dict[Any, Any] = {}
    holes = {name: _hole(session, name, value, taken) for name, value in function.seen.items() if _is_plain(value)}
    trace, before = session.trace, list(ACTIVE)
    found: Failures = {}
    trace.muted += 1
    try:
        ACTIVE[:] = list(holes.values())
        _attempts(session, function, holes)
        found = {key: row for key, row in trace.failures.items() if key[1] == REASON}
    finally:
        ACTIVE[:] = before
        trace.muted -= 1
        trace.failures, trace.gaps = found, {}


def _attempts(session: Session, function: Function, holes: Dict[str, Hole]) -> None:
    named: Dict[str, Any] = {}
    for _ in range(RESTARTS):
        session.trace.failures = {}
        try:
            session.trace.within(STEPS, lambda: _once(session, function, holes, named))
            return
        except Filled:
            session.forget_place()


def _once(session: Session, function: Function, holes: Dict[str, Hole], named: Dict[str, Any]) -> None:
    given = dict(function.seen)
    given.update({name: tensor_for(hole, session.sizes, named) for name, hole in holes.items()})

    def arm() -> Any:
        return function.enter(given)

    _, changes = session.journal.run(arm)
    session.journal.back(changes)


LETTERS = {2: "ND", 3: "NTD", 4: "NABC", 5: "NABCD"}


def _hole(session: Session, name: str, value: Any, taken: Dict[Any, Any]) -> Hole:
    """An input with as many axes as the one that was given: those of one size stay so, equal ones of two inputs stay equal."""
    hole = Hole(name)
    axes: List[Any] = []
    for place, (letter, size) in enumerate(zip(LETTERS.get(value.dim(), "ABCDEFGHIJKL"), value.shape)):
        if size == 1 and place:
            axes.append(1)
            continue
        if (letter, size) not in taken:
            taken[letter, size] = session.sizes.free(letter)
        axes.append(taken[letter, size])
    hole.axes, hole.dtype, hole.typed = axes, value.dtype, True
    return hole
