"""The user's functions as objects that torch's own code can call too: each call is walked, not run."""

from __future__ import annotations

import ast
import types
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

import torch
from torch import nn

from torch_handbook_worker.tensors.scopes import Frame, Scope, Source
from torch_handbook_worker.tensors.values import MISSING, Unknown, each, unknown_in

DEEPEST = 48  # calls inside calls
SHALLOW, RECURSIONS = 6, 16  # calls of a function inside itself: with arguments that are not known, and with known ones
CALLS = 64  # of a forward that are remembered
FOREIGN = 40_000  # steps that a call into another file may take
Walk = Callable[[Frame, "Function"], Any]


class Row(NamedTuple):
    """One call of a forward."""

    module: Any  # None where an earlier walk saw the call, and nothing is left of it
    bound: Dict[str, Any]  # the values of the parameters
    unit: Any  # the unit of the walk that it was in


class Function:
    """A function or lambda of the user's."""

    def __init__(self, frame: Frame, node: Any, walk: Walk, defaults: List[Any], named_defaults: Dict[str, Any]) -> None:
        self.session = frame.session
        self.source: Source = frame.source
        self.scope = frame.scope
        self.node = node
        self.walk = walk
        self.defaults = defaults
        self.named_defaults = named_defaults
        self.owner: Any = None
        self.public: Any = self  # what the name is bound to, after the decorators
        self.wrapped: Optional[Function] = None  # the one that it stands in front of, after `functools.wraps`
        self.is_handed_over = False  # whether an unknown decorator was given it
        self.calls = 0
        self.active = 0
        self.seen: Dict[str, Any] = {}  # what the parameters were in the first call that gave a tensor
        self.is_seen = False  # whether there was such a call
        self.opened = ""  # whether the next call may have further arguments that are not known: "*", or "**" for named ones too
        self.enclosing = frame
        self.__name__: str = getattr(node, "name", "<lambda>")
        self.__qualname__ = self.__name__
        self.__module__ = self.source.name
        self.__doc__ = ast.get_docstring(node) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else None

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __deepcopy__(self, memo: Any) -> Function:
        return self

    def __copy__(self) -> Function:
        return self

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        session = self.session
        self.calls += 1
        if session.depth >= DEEPEST or (self.active >= SHALLOW and self._runs_away([arguments, named])):
            session.trace.gap(session.trace.here.span, "calls are nested too deep")
            return Unknown()
        bound = bind(self, arguments, named)
        if bound is None:
            session.trace.gap(session.trace.here.span, f"the arguments do not fit {self.__name__}()")
            bound = {name: Unknown(name=name) for name in parameter_names(self.node.args)}
        makes = self.__name__ == "__init__" and isinstance(self.owner, type) and issubclass(self.owner, nn.Module)
        tries = self.__name__ == "forward" and session.making > 0  # a constructor that looks what sizes come out
        if not tries:
            self._keep(bound)
        session.making += makes
        session.trace.muted += tries
        try:
            return self.enter(bound)
        finally:
            session.making -= makes
            session.trace.muted -= tries

    def _keep(self, bound: Dict[str, Any]) -> None:
        """Remember what it was called with."""
        if not self.is_seen:
            self.seen = bound
            self.is_seen = any(isinstance(value, torch.Tensor) for value in each(bound))
        if self.owner is not None and self.__name__ in ("__init__", "forward"):
            _remember(self, dict(bound))

    def _runs_away(self, given: Any) -> bool:
        """Whether it calls itself again and again: with arguments that are not known it may never end."""
        return self.active >= RECURSIONS or unknown_in(given) is not None

    def enter(self, bound: Dict[str, Any]) -> Any:
        """Walk the body with these values of the parameters."""
        session = self.session
        if self.source.path == session.trace.path:
            session.entered.add(self.node)
        frame = Frame(session, self.source, Scope("function", self.scope), self.__name__, self.owner)
        if session.stated is not None and self.source.path == session.trace.path:
            bound = {name: session.stated.of_parameter(self.node, name, value) for name, value in bound.items()}
        frame.scope.names.update(bound)
        positional = self.node.args.posonlyargs + self.node.args.args
        frame.first = bound.get(positional[0].arg) if positional else None
        session.depth += 1
        self.active += 1
        before, left = session.trace.here, session.trace.left
        try:
            if self.source.path == session.trace.path or before.path != session.trace.path:
                return self.walk(frame, self)
            session.trace.left = before
            result = session.trace.within(FOREIGN, lambda: self.walk(frame, self))
            return Unknown() if result is MISSING else result
        finally:
            session.trace.here, session.trace.left = before, left
            session.depth -= 1
            self.active -= 1


def _remember(function: Function, bound: Dict[str, Any]) -> None:
    """Keep what a constructor or a forward was called with."""
    calls, rows = function.session.calls, function.node.args.args
    module = bound.get(rows[0].arg) if rows else None
    if not isinstance(module, nn.Module):
        return
    if function.__name__ == "__init__":
        module.__dict__.setdefault("handbook_bound", {})[id(function)] = bound
    elif len(calls.setdefault(id(function), [])) < CALLS and any(isinstance(value, torch.Tensor) for value in bound.values()):
        calls[id(function)].append(Row(module, bound, function.session.notes.unit))


def parameter_names(arguments: ast.arguments) -> List[str]:
    """All names that a call binds."""
    names = [row.arg for row in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return names + [row.arg for row in (arguments.vararg, arguments.kwarg) if row is not None]


def bind(function: Function, given: Tuple[Any, ...], named: Dict[str, Any]) -> Optional[Dict[str, Any]]:
    """The parameters' values in a call, or None where Python would refuse it."""
    arguments = function.node.args
    opened, function.opened = function.opened, ""
    positional = [row.arg for row in (*arguments.posonlyargs, *arguments.args)]
    keyword = {row.arg for row in (*arguments.args, *arguments.kwonlyargs)}
    bound = dict(zip(positional, given))
    extra = given[len(positional) :]
    if extra and arguments.vararg is None:
        return None
    rest: Dict[str, Any] = {}
    for name, value in named.items():
        if name in bound and name in keyword:
            return None
        if name in keyword:
            bound[name] = value
        elif arguments.kwarg is not None:
            rest[name] = value
        else:
            return None
    if not _fill(function, positional, bound):
        return None
    if arguments.vararg is not None:
        bound[arguments.vararg.arg] = Unknown(item=Unknown) if opened else tuple(extra)
    if arguments.kwarg is not None:
        bound[arguments.kwarg.arg] = Unknown() if opened == "**" else rest
    return bound


def _fill(function: Function, positional: List[str], bound: Dict[str, Any]) -> bool:
    for name, value in zip(reversed(positional), reversed(function.defaults)):
        bound.setdefault(name, value)
    for name, value in function.named_defaults.items():
        bound.setdefault(name, value)
    wanted = positional + [row.arg for row in function.node.args.kwonlyargs]
    return all(bound.get(name, MISSING) is not MISSING for name in wanted)


def note_parameters(frame: Frame, node: Any) -> None:
    """Write down the parameters' values on entry."""
    arguments = node.args
    for row in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        frame.session.note(frame, row, frame.scope.names.get(row.arg))
