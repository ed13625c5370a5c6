"""Python's own functions, where a value may be unknown, symbolic or a tensor without data."""

from __future__ import annotations

import builtins
import collections
import itertools
from typing import Any, Callable, Dict, List

import torch
from torch import nn

from torch_handbook_worker.tensors import attributes
from torch_handbook_worker.tensors.arrays import Array
from torch_handbook_worker.tensors.bounds import TEMPLATE, is_heavy, operation
from torch_handbook_worker.tensors.iteration import iterate
from torch_handbook_worker.tensors.operation import Call
from torch_handbook_worker.tensors.options import Options
from torch_handbook_worker.tensors.sizes import SYMBOLIC, certain, compare, fixed, whole
from torch_handbook_worker.tensors.values import MISSING, UNKNOWN, Opaque, Stream, Unknown, unknown_in
from torch_handbook_worker.tensors.workspace import Module

Special = Callable[[Call], Any]
SPECIALS: Dict[int, Special] = {}
KEPT: List[Any] = []  # what the keys of SPECIALS are the addresses of


def special(*callees: Any) -> Callable[[Special], Special]:
    """Registers how calls of `callees` are walked."""

    def register(function: Special) -> Special:
        for callee in callees:
            SPECIALS[id(callee)] = function
            KEPT.append(callee)
        return function

    return register


@special(len)
def _len(call: Call) -> Any:
    value = call.args[0]
    if isinstance(value, (torch.Tensor, Array)):
        return (value.tensor if isinstance(value, Array) else value).shape[0]
    if isinstance(value, Stream):
        return value.count if value.count is not None else Unknown("int")
    if isinstance(value, Unknown) or call.frame.session.journal.is_blurred(value):
        return Unknown("int")
    return len(value)


@special(int, float, bool, complex)
def _number(call: Call) -> Any:
    if not call.args:
        return call.callee()
    value = call.args[0]
    if isinstance(value, torch.SymInt):
        return value if call.callee is int else Unknown("number")
    if isinstance(value, torch.SymFloat) and call.callee is int:
        known = whole(value)
        return Unknown("int") if known is None else known
    if isinstance(value, SYMBOLIC):
        known = certain(value) if call.callee is bool else None
        return known if known is not None else Unknown("int" if call.callee is int else "number")
    if isinstance(value, (Unknown, torch.Tensor)):
        return Unknown("int" if call.callee is int else "bool" if call.callee is bool else "number")
    return call.callee(*call.args)


@special(str, repr, format, ascii, input)
def _text(call: Call) -> Any:
    if unknown_in(call.args) is not None or any(isinstance(value, (torch.Tensor, nn.Module, *SYMBOLIC)) for value in call.args):
        return Unknown("str")
    if call.callee is input or any(is_heavy(value) or TEMPLATE.search(str(value)) for value in call.args[1:]):
        return Unknown("str")
    return call.callee(*call.args) if not call.args or not is_heavy(call.args[0]) else Unknown("str")


@special(
    print, exec, eval, open, compile, builtins.__import__, globals, locals, vars, dir, breakpoint, exit, quit, memoryview, id
)
def _nothing(call: Call) -> Any:
    for value in call.args:
        if isinstance(value, Options) and call.callee is not print:
            value.is_lost = True  # `vars(args)` may be changed
    return None if call.callee is print else UNKNOWN


@special(range)
def _range(call: Call) -> Any:
    if any(isinstance(value, (Unknown, *SYMBOLIC)) and fixed_or_none(value) is None for value in call.args):
        return Stream(lambda: Unknown("int"), size=_times(call))
    return range(*(fixed_or_none(value) for value in call.args))


def _times(call: Call) -> Any:
    """The free size that a range counts up to; None where it does not begin at 0, or counts otherwise."""
    start, stop, step = (0, *call.args, 1) if len(call.args) == 1 else (*call.args, 1, 1)[:3]
    stop = call.frame.session.sizes.number(stop)
    return stop if isinstance(stop, torch.SymInt) and start == 0 and step == 1 else None


def fixed_or_none(value: Any) -> Any:
    """A number for sure, or None."""
    if isinstance(value, Unknown):
        return None
    return fixed(value) if isinstance(value, (int, torch.SymInt)) else value


@special(enumerate)
def _enumerate(call: Call) -> Any:
    items = iterate(call.frame.session, call.args[0])
    if isinstance(items, Stream):
        made = items.item
        return Stream(lambda: (Unknown("int"), made()), items.count, size=items.size)
    start = call.args[1] if len(call.args) > 1 else call.kwargs.get("start", 0)
    return list(enumerate(items, start if isinstance(start, int) else 0))


@special(zip)
def _zip(call: Call) -> Any:
    rows = [iterate(call.frame.session, value) for value in call.args]
    if any(isinstance(row, Stream) for row in rows):
        makers = [row.item if isinstance(row, Stream) else _cycle(row) for row in rows]
        counts = [row.count if isinstance(row, Stream) else len(row) for row in rows]
        known = [count for count in counts if count is not None]
        return Stream(lambda: tuple(make() for make in makers), min(known) if known else None)
    return list(zip(*rows))


def _cycle(items: List[Any]) -> Callable[[], Any]:
    rows = itertools.cycle(items or [UNKNOWN])
    return lambda: next(rows)


@special(map)
def _map(call: Call) -> Any:
    rows = [iterate(call.frame.session, value) for value in call.args[1:]]
    do = call.frame.session.call
    if any(isinstance(row, Stream) for row in rows):
        makers = [row.item if isinstance(row, Stream) else _cycle(row) for row in rows]
        return Stream(lambda: do(call.frame, call.node, call.args[0], [make() for make in makers], {}))
    return iter([do(call.frame, call.node, call.args[0], list(items), {}) for items in zip(*rows)])


@special(filter)
def _filter(call: Call) -> Any:
    items = iterate(call.frame.session, call.args[1])
    if isinstance(items, Stream):
        return items
    kept: List[Any] = []
    for item in items:
        verdict = truth(
            call.frame.session.call(call.frame, call.node, call.args[0], [item], {}) if call.args[0] is not None else item
        )
        if verdict is None:
            return Stream(_cycle([item]))
        if verdict:
            kept.append(item)
    return iter(kept)


@special(list, tuple, set, frozenset, sorted, reversed, collections.deque)
def _collection(call: Call) -> Any:
    if not call.args:
        return call.callee(**call.kwargs)
    items = iterate(call.frame.session, call.args[0])
    if isinstance(items, Stream):
        return Unknown(item=items.item)
    if call.callee is sorted and (unknown_in(items) is not None or any(isinstance(item, torch.Tensor) for item in items)):
        return Unknown()
    return call.callee(items, *call.args[1:], **call.kwargs)


@special(sum, min, max, any, all)
def _reduction(call: Call) -> Any:
    if len(call.args) == 1 or call.callee is sum:
        items = iterate(call.frame.session, call.args[0])
        if isinstance(items, Stream):
            return _reduced_stream(call, items)
    else:
        items = call.args
    if call.callee in (any, all) and (unknown_in(items) is not None or any(isinstance(item, torch.Tensor) for item in items)):
        return Unknown("bool")
    if unknown_in(items) is not None:
        numbers = all(isinstance(item, (int, float)) or getattr(item, "kind", "") in ("int", "number") for item in items)
        return Unknown("number" if numbers and call.callee is not sum else "")
    if call.callee is not sum and any(isinstance(item, (torch.Tensor, *SYMBOLIC)) for item in items):
        return Unknown("" if any(isinstance(item, torch.Tensor) for item in items) else "int")
    return call.callee(items, *(call.args[1:] if call.callee is sum else ()), **call.kwargs)


def _reduced_stream(call: Call, items: Stream) -> Any:
    first = items.item()
    if call.callee is sum and isinstance(first, torch.Tensor):
        return first + first
    return Unknown("number" if isinstance(first, (int, float)) else "")


@special(isinstance, issubclass)
def _isinstance(call: Call) -> Any:
    value, kinds = call.args
    if isinstance(value, (Unknown, Opaque)) or unknown_in(kinds) is not None:
        return Unknown("bool")
    return call.callee(0, kinds) if isinstance(value, torch.SymInt) else call.callee(value, kinds)


@special(getattr, hasattr)
def _getattr(call: Call) -> Any:
    value, name = call.args[0], call.args[1]
    if not isinstance(name, str):
        return UNKNOWN if call.callee is getattr else Unknown("bool")
    if isinstance(value, (Unknown, Stream, Opaque)) and not name.startswith("__"):
        return getattr(value, name, UNKNOWN) if call.callee is getattr else Unknown("bool")
    known = _has(value, name)
    if call.callee is hasattr:
        return known
    if not known and len(call.args) > 2:
        return call.args[2]
    return attributes.read(call.frame, call.node, value, name)


def _has(value: Any, name: str) -> bool:
    if isinstance(value, Module) and not name.startswith("__"):
        return value.handbook_scope.own(name) is not MISSING
    try:
        return hasattr(value, name)
    except Exception:
        return False


@special(setattr, delattr)
def _setattr(call: Call) -> Any:
    if isinstance(call.args[1], str) and call.callee is setattr:
        attributes.write(call.frame, call.node, call.args[0], call.args[1], call.args[2])


@special(iter)
def _iter(call: Call) -> Any:
    items = iterate(call.frame.session, call.args[0])
    return items if isinstance(items, Stream) else iter(items) if not hasattr(call.args[0], "__next__") else call.args[0]


@special(next)
def _next(call: Call) -> Any:
    value = call.args[0]
    if isinstance(value, Stream):
        return value.item()
    if isinstance(value, Unknown):
        return value.item() if value.item is not None else UNKNOWN
    try:
        return next(*call.args)
    except StopIteration:
        return UNKNOWN


@special(type)
def _type(call: Call) -> Any:
    value = call.args[0]
    if len(call.args) != 1 or isinstance(value, (Unknown, Opaque)):
        return UNKNOWN
    return torch.Tensor if isinstance(value, torch.Tensor) and not isinstance(value, nn.Parameter) else type(value)


@special(abs, round, divmod, pow)
def _arithmetic(call: Call) -> Any:
    if unknown_in(call.args) is not None:
        return Unknown(call.args[0].kind if isinstance(call.args[0], Unknown) and call.callee in (abs, round) else "")
    if call.callee is pow and len(call.args) == 2 and operation("**", *call.args) is not None:
        return Unknown("int")
    return call.callee(*call.args, **call.kwargs)


def decided(session: Any, value: Any) -> Any:
    """As `truth`; a container that a loop may have filled may be empty or not."""
    return None if session.journal.is_blurred(value) else truth(value)


def truth(value: Any) -> Any:
    """Whether a value counts as true: True, False, or None where that is not known."""
    if isinstance(value, bool) or value is None:
        return bool(value)
    if isinstance(value, SYMBOLIC):
        return certain(value) if isinstance(value, torch.SymBool) else compare("!=", value, 0)
    if isinstance(value, (Unknown, torch.Tensor, Stream)):
        return None
    try:
        return bool(value)
    except Exception:
        return None
