"""Functions that were called with numbers for sizes, walked once more with free ones: only so it shows which axis is which.

(1, 4, 8, 8) may be read as (1, 8, 32) in many ways; (B, 4, T, 8) as (B, T, 32) in one, and that moves T.
"""

from __future__ import annotations

import ast
import functools
from typing import Any, Dict, List, Tuple

import torch

from torch_handbook_worker.tensors.functions import Function
from torch_handbook_worker.tensors.holes import ACTIVE, Filled, Hole, tensor_for
from torch_handbook_worker.tensors.nodes import inside
from torch_handbook_worker.tensors.remarks import REASON
from torch_handbook_worker.tensors.scrambles import VIEWS
from torch_handbook_worker.tensors.session import Session
from torch_handbook_worker.tensors.sizes import is_free
from torch_handbook_worker.tensors.uncalled import MOST, RESTARTS, Failures
from torch_handbook_worker.tensors.unit import name_of, walk_unit

STEPS = 20_000  # for one function


def walk_opened(session: Session) -> None:
    """Walk the functions of the file that cut tensors anew and were called with sizes that are all numbers."""
    for function in list(session.functions):
        if session.fakes.count > MOST:
            return
        unit, plain = _first_call(session, function)
        if plain and _cuts(function.node):
            walk_unit(session, name_of(session, "opened", function), functools.partial(_walk, session, function), unit)


def _first_call(session: Session, function: Function) -> Tuple[Any, bool]:
    """The unit of the walk in which a function was called first, and whether it was given a tensor of plain sizes."""
    if session.look is not None:
        return session.look.first_call(function)
    return None, any(map(is_plain, function.seen.values()))


def _cuts(node: ast.AST) -> bool:
    return any(isinstance(found, ast.Attribute) and found.attr in VIEWS for found in inside(node))


def is_plain(value: Any) -> bool:
    """Whether a value is a tensor, and no weight, with several axes of which each is a number."""
    is_input = isinstance(value, torch.Tensor) and not isinstance(value, torch.nn.Parameter)
    return is_input and value.dim() > 1 and not any(map(is_free, value.shape))


def _walk(session: Session, function: Function) -> None:
    if session.look is not None:
        session.look.use_call(function)
    taken: Dict[Any, Any] = {}
    holes = {name: _hole(session, name, value, taken) for name, value in function.seen.items() if is_plain(value)}
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
