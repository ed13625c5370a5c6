"""Modules that are called with different sizes: walked once more with what all calls have in common, and names for the rest.

A block that a network has at 64, 128 and 256 channels is a block at `dim` channels: what its constructor was given, and the
shapes that its forward was given, are compared over all calls. A number that is the same in all of them stays; numbers that
change together are one free size, named after the constructor's parameter.
"""

from __future__ import annotations

import ast
import functools
from typing import Any, Dict, List, Optional, Tuple

import torch
from torch import nn

from torch_handbook_worker.tensors.constructors import initialiser
from torch_handbook_worker.tensors.functions import Function
from torch_handbook_worker.tensors.notes import is_vague
from torch_handbook_worker.tensors.promises import is_loose
from torch_handbook_worker.tensors.scopes import Frame
from torch_handbook_worker.tensors.session import Session
from torch_handbook_worker.tensors.shares import PLAIN, Share, parts_by_unit, shares
from torch_handbook_worker.tensors.size_names import witness_of
from torch_handbook_worker.tensors.unit import name_of, walk_unit
from torch_handbook_worker.tensors.values import Unknown

STEPS = 20_000  # for one class
MOST = 16_000  # operators of torch after which no further class is looked at
LETTERS = {1: "N", 2: ("N", "D"), 3: ("N", "T", "C"), 4: ("N", "C", "H", "W"), 5: ("N", "C", "D", "H", "W")}
Bound = Dict[str, Any]


class Common:
    """What several modules, and the calls of the first ones of them, have in common."""

    def __init__(self, session: Session, called: int, others: int) -> None:
        self.session = session
        self.called = called  # how many calls there are
        self.others = others  # how many modules there are that were not called with anything known
        self.inputs = False  # whether it is about the calls, and no more about the constructors
        self.sizes: Dict[Tuple[str, ...], Any] = {}  # what a number was in each call, to the free size that stands for it
        self.chosen: Dict[Tuple[str, ...], Any] = {}  # the same, of the modules that were called; None where it may be two

    def of(self, values: List[Any], name: str) -> Any:
        """One value for those that were given in each call."""
        first = values[0]
        if all(value is first for value in values) and not (self.inputs and isinstance(first, (torch.Tensor, tuple, list))):
            return first
        if all(_is_number(value) for value in values):
            return self.number(values, name)
        if any(type(value) is not type(first) for value in values):
            return Unknown(name=name)
        if isinstance(first, torch.Tensor):
            return self.tensor(values)
        if type(first) in (list, tuple) and all(len(value) == len(first) for value in values):
            return type(first)(self.of(list(rows), f"{name}[{place}]") for place, rows in enumerate(zip(*values)))
        if isinstance(first, functools.partial) and all(_is_same(first, value) for value in values):
            return first
        if isinstance(first, PLAIN):
            kinds = {"str": "str", "float": "number", "bool": "bool"}
            return first if all(value == first for value in values) else Unknown(kinds.get(type(first).__name__, ""), name)
        return Unknown("module" if isinstance(first, nn.Module) else "", name)

    def number(self, values: List[Any], name: str) -> Any:
        """A number that all calls share, or the free size of those that change together."""
        key = tuple(map(str, values))
        if self.inputs and self.others:
            return self._of_some(key, values[0], name)
        if len(set(key)) == 1:
            return values[0]
        if key not in self.sizes:
            found = self.sizes[key] = self.session.sizes.free(name, witness_of(name))
            if not self.inputs:
                self.chosen[key[: self.called]] = None if key[: self.called] in self.chosen else found
        return self.sizes[key]

    def _of_some(self, key: Tuple[str, ...], first: Any, name: str) -> Any:
        """A number of an input, where other modules may be called with another one: what the constructor calls it, or a name."""
        if name == "N" and len(set(key)) == 1:
            return first
        if self.chosen.get(key) is not None:
            return self.chosen[key]
        if key not in self.sizes:
            self.sizes[key] = self.session.sizes.free(name, witness_of(name))
        return self.sizes[key]

    def tensor(self, values: List[Any]) -> Any:
        """A tensor with as many axes as all of them."""
        first = values[0]
        if any(value.dim() != first.dim() for value in values):
            return Unknown("tensor")
        dtypes = {value.dtype for value in values if not is_loose(value)} or {first.dtype}
        letters = LETTERS.get(first.dim(), "NABCDEFGHIJK")
        made: Any = torch.empty(
            [self.number(list(rows), letters[place]) for place, rows in enumerate(zip(*(v.shape for v in values)))]
        )
        return made.to(first.dtype if len(dtypes) > 1 else dtypes.pop())


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, torch.SymInt)) and not isinstance(value, bool)


def _is_same(one: Any, other: Any) -> bool:
    return one.func is other.func and one.args == other.args and one.keywords == other.keywords


def generalize(session: Session, frame: Frame) -> None:
    """Walk the classes once more of which a network has several modules, or whose forward was called with several sizes."""
    parts = parts_by_unit(session)
    for kind, node, _ in list(session.classes):
        forward = vars(kind).get("forward") if isinstance(kind, type) and issubclass(kind, nn.Module) else None
        if not isinstance(forward, Function):
            continue
        calls = [row for row in session.calls.get(id(forward), []) if row.module is not None]
        called = {id(row.module) for row in calls}
        others = [part for part in parts if type(part.module) is kind and id(part.module) not in called]
        told = session.look.shares(kind, calls, others) if session.look is not None else shares(calls, others)
        if session.fakes.count > MOST:
            continue
        count = sum(len(share.calls) for share in told.values())
        differ = len({text for share in told.values() for text in (*share.calls, *share.others)}) > 1
        is_part = differ and any(share.others for share in told.values())
        if count and (is_part or (count > 1 and _has_vague(session, forward.node))):
            modules = [part.module for part in others] if differ else []
            _walk(session, (frame, kind, forward, calls, modules), node, is_part, told)


def _has_vague(session: Session, node: ast.AST) -> bool:
    return any(is_vague(note) for span, note in session.trace.notes.items() if _within(span, node))


def _within(span: Any, node: Any) -> bool:
    return node.lineno <= span[0] and span[2] <= node.end_lineno


def _walk(session: Session, given: Any, node: Any, is_part: bool, told: Dict[Any, Share]) -> None:
    _, kind, forward, _, _ = given
    trace = session.trace

    def work() -> None:
        if session.look is not None:
            session.look.use_all(told)
        if trace.within(STEPS, functools.partial(_once, session, *given)) is not True:
            trace.notes = {}

    found = walk_unit(session, name_of(session, "general", kind), work, told, is_told=False).notes
    for span, note in list(trace.notes.items()):
        inside = _within(span, forward.node)
        if (is_part and inside) or (span in found and (inside or (_within(span, node) and is_vague(note)))):
            trace.notes.pop(span)
    trace.notes.update({span: note for span, note in found.items() if _within(span, node) and span not in trace.notes})


def _once(session: Session, frame: Frame, kind: Any, forward: Function, calls: List[Any], others: List[Any]) -> bool:
    common, init = Common(session, len(calls), len(others)), initialiser(kind)
    modules = [*(row.module for row in calls), *others]
    made: Optional[Bound] = {}
    if any(type(module) is not kind for module in modules):
        return False
    if init is not None:
        bounds = [module.__dict__.get("handbook_bound", {}).get(id(init)) for module in modules]
        made = None if None in bounds else _arguments(common, init, bounds)
    common.inputs = True
    given = _arguments(common, forward, [row.bound for row in calls])
    if made is None or given is None:
        return False
    module = session.call(frame, forward.node, kind, [], made)
    if not isinstance(module, nn.Module):
        return False
    module.train(calls[0].module.training)
    session.call(frame, forward.node, forward, [module], given)
    return True


def _arguments(common: Common, function: Function, bounds: List[Bound]) -> Optional[Bound]:
    """The named arguments that stand for those of all calls; None where some are not named."""
    arguments = function.node.args
    if arguments.vararg is not None and any(bound[arguments.vararg.arg] for bound in bounds):
        return None
    rows = [*arguments.posonlyargs, *arguments.args][1:] + list(arguments.kwonlyargs)
    found = {row.arg: common.of([bound[row.arg] for bound in bounds], row.arg) for row in rows}
    if arguments.kwarg is not None:
        rest = [bound[arguments.kwarg.arg] for bound in bounds]
        if any(not isinstance(row, dict) or list(row) != list(rest[0]) for row in rest):
            return None
        found.update({name: common.of([row[name] for row in rest], name) for name in rest[0]})
    return found
