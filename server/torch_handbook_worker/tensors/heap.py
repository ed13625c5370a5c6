"""What a file's own code leaves behind, watched for changes: a function that is walked by itself may change it for others."""

from __future__ import annotations

import ast
import collections
import functools
import operator
import types
from typing import Any, Dict, Iterable, List, Optional, Tuple

import torch

from torch_handbook_worker.tensors.functions import Function
from torch_handbook_worker.tensors.journal import Journal
from torch_handbook_worker.tensors.scopes import Frame, Scope, Source
from torch_handbook_worker.tensors.session import Session
from torch_handbook_worker.tensors.values import Stream, Unknown, words

# What an object is at a moment: the objects that it holds, and plain values.
State = Tuple[List[Any], Tuple[Any, ...]]
PLAIN = (type(None), bool, int, float, complex, str, bytes, range, slice, torch.dtype, torch.device, type(Ellipsis))
LEAVES = (
    types.ModuleType, types.BuiltinFunctionType, types.FunctionType, types.MethodDescriptorType, types.WrapperDescriptorType,
    torch.SymInt, torch.SymFloat, torch.SymBool, Session, Frame, Source, ast.AST,
)  # fmt: skip
UNWATCHED = (*PLAIN, *LEAVES)
OFTEN = frozenset(PLAIN)
SEQUENCES = (list, set, frozenset, collections.deque, tuple)
ATTRIBUTES = words(  # that each function has
    "session source scope node walk defaults named_defaults owner public wrapped is_handed_over calls active seen is_seen opened "
    "enclosing __name__ __qualname__ __module__ __doc__"
)


class Unwatchable(Exception):
    """An object changes when it is looked at, as an iterator does."""


class Heap:
    """The objects that can be reached, each with what it was when it was looked at last."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.states: Dict[int, Tuple[Any, State]] = {}
        self.fixed: Dict[int, Any] = {}  # objects that always hold the same ones

    def watch(self, roots: Iterable[Any]) -> None:
        """Watch some objects, and all that they hold. Raises Unwatchable."""
        stack: List[Any] = list(roots)
        while stack:
            value = stack.pop()
            kind = type(value)
            if kind in OFTEN or id(value) in self.states or id(value) in self.fixed or isinstance(value, UNWATCHED):
                continue
            inside = _fixed(value)
            if inside is not None:
                self.fixed[id(value)] = value
                stack.extend(inside)
            state = self._state(value) if inside is None or isinstance(value, Function) else None
            if state is not None:
                self.states[id(value)] = (value, state)
                stack.extend(state[0])

    def changed(self, values: Optional[Iterable[Any]] = None) -> bool:
        """Whether any of these objects, or of all that are watched, is not what it was."""
        rows = self.states.values() if values is None else [self.states[id(row)] for row in values if id(row) in self.states]
        return not all(_is_same(before, self._state(value)) for value, before in rows)

    def again(self, values: Iterable[Any]) -> None:
        """Take some objects as what they are now."""
        for value in values:
            self.states.pop(id(value), None)
            self.watch([value])

    def _state(self, value: Any) -> Optional[State]:
        if type(value) is dict:  # most of them are
            return [*value.keys(), *value.values()], self._blurred(value)
        if isinstance(value, Unknown):
            return _told(value)
        if isinstance(value, dict):
            return [*value.keys(), *value.values()], self._blurred(value)
        if isinstance(value, Function):
            own = vars(value)
            more = [own[name] for name in own if name not in ATTRIBUTES] if len(own) > len(ATTRIBUTES) else []
            return [value.public, value.wrapped, *more], (len(own), value.is_handed_over)
        if isinstance(value, SEQUENCES):
            return list(value), self._blurred(value)
        if isinstance(value, Scope):
            return [value.names, value.parent, value.lenders, value.elsewhere], ()
        if isinstance(value, Stream) or hasattr(type(value), "__next__"):
            raise Unwatchable(type(value).__name__)
        if isinstance(value, type):
            return ([*vars(value).keys(), *vars(value).values()], ()) if "written" in vars(value) else None
        if isinstance(value, torch.Tensor):
            grad = value.grad if value.is_leaf else None
            told = {name: own for name, own in vars(value).items() if name.startswith("handbook_")}
            sizes = value.dim() if any(isinstance(size, torch.SymInt) for size in value.shape) else tuple(value.shape)
            return [grad, *told.values()], (value._version, value.requires_grad, value.dtype, sizes, *told)
        return _of_object(value)

    def _blurred(self, value: Any) -> Tuple[bool, bool]:
        return id(value) in self.journal.blurred, id(value) in self.journal.mixed


def _of_object(value: Any) -> Optional[State]:
    if type(value).__module__ == "typing":
        return None
    try:
        own: Any = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return None
    return ([*own.values()], tuple(own)) if isinstance(own, dict) else None


def _fixed(value: Any) -> Optional[List[Any]]:
    """What an object holds that never holds anything else; None for other ones."""
    if isinstance(value, Function):
        return [value.scope, value.owner, *value.defaults, *value.named_defaults.values()]
    if type(value) is tuple:
        return list(value)
    if isinstance(value, functools.partial):
        return [value.func, value.args, value.keywords]
    if isinstance(value, types.MethodType):
        return [value.__self__, value.__func__]
    if isinstance(value, property):
        return [value.fget, value.fset]
    return [value.__func__] if isinstance(value, (staticmethod, classmethod)) else None


def _told(value: Unknown) -> State:
    """What was told to an unknown: what it only answers is the same again when it is asked."""
    held: List[Any] = []
    names: List[Any] = []
    for name, part in list(vars(value).items()):
        if isinstance(part, Unknown):
            inside = _told(part)
            if inside[0]:
                held += inside[0]
                names.append((name, inside[1]))
        elif part is not None and name != "handbook_born":
            held.append(part)
            names.append(name)
    return ([], ()) if names == ["kind", "name"] else (held, tuple(names))


def _is_same(one: State, other: Optional[State]) -> bool:
    if other is None or one[1] != other[1] or len(one[0]) != len(other[0]):
        return False
    return all(map(operator.is_, one[0], other[0]))
