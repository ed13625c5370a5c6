"""The standard library's functions that are endless, random, or take numbers that are not known."""

from __future__ import annotations

import copy
import functools
import itertools
import math
import operator
import typing
from typing import Any, List

import torch

from torch_handbook_worker.tensors.bounds import is_heavy, refused
from torch_handbook_worker.tensors.functions import Function
from torch_handbook_worker.tensors.iteration import iterate
from torch_handbook_worker.tensors.operation import Call
from torch_handbook_worker.tensors.python_calls import special
from torch_handbook_worker.tensors.sizes import SYMBOLIC
from torch_handbook_worker.tensors.values import UNKNOWN, Stream, Unknown, unknown_in


@special(itertools.count)
def _count(call: Call) -> Any:
    return Stream(lambda: Unknown("int"))


@special(itertools.cycle)
def _cycle(call: Call) -> Any:
    items = iterate(call.frame.session, call.args[0])
    if isinstance(items, Stream):
        return Stream(items.item)
    return Stream(lambda: items[0] if items else Unknown())


@special(itertools.repeat)
def _repeat(call: Call) -> Any:
    times = call.args[1] if len(call.args) > 1 else None
    return [call.args[0]] * times if isinstance(times, int) and times < 1000 else Stream(lambda: call.args[0])


@special(itertools.islice)
def _islice(call: Call) -> Any:
    items = iterate(call.frame.session, call.args[0])
    bounds = call.args[1:]
    if isinstance(items, Stream) or unknown_in(bounds) is not None:
        stop = bounds[0] if len(bounds) == 1 and isinstance(bounds[0], int) else None
        return Stream(items.item, stop) if isinstance(items, Stream) else Stream(Unknown)
    return list(itertools.islice(items, *bounds))


@special(
    itertools.chain,
    itertools.product,
    itertools.permutations,
    itertools.combinations,
    itertools.zip_longest,
    itertools.accumulate,
)
def _combined(call: Call) -> Any:
    rows: List[Any] = [value if isinstance(value, int) else iterate(call.frame.session, value) for value in call.args]
    streams = [row for row in rows if isinstance(row, Stream)]
    if streams:
        return streams[0] if call.callee is itertools.chain else Stream(Unknown)
    return list(itertools.islice(call.callee(*rows, **call.kwargs), 4096))


@special(operator.attrgetter, operator.methodcaller, typing.get_type_hints)
def _closed(call: Call) -> Any:
    return UNKNOWN


@special(functools.lru_cache, functools.cache if hasattr(functools, "cache") else functools.lru_cache)
def _cached(call: Call) -> Any:
    return call.args[0] if call.args and callable(call.args[0]) else (lambda function: function)


@special(functools.wraps)
def _wraps(call: Call) -> Any:
    return functools.partial(_wrapping, call.args[0] if call.args else UNKNOWN)


def _wrapping(wrapped: Any, function: Any) -> Any:
    """A function that stands in front of another one, and says so."""
    if isinstance(wrapped, Function) and isinstance(function, Function):
        function.wrapped, function.__name__ = wrapped, wrapped.__name__
    return function


@special(functools.reduce)
def _reduce(call: Call) -> Any:
    items = iterate(call.frame.session, call.args[1])
    if isinstance(items, Stream):
        return UNKNOWN
    rows = [*call.args[2:], *items]
    result = rows[0] if rows else UNKNOWN
    for row in rows[1:]:
        result = call.frame.session.call(call.frame, call.node, call.args[0], [result, row], {})
    return result


@special(copy.copy, copy.deepcopy)
def _copy(call: Call) -> Any:
    value = call.args[0]
    if isinstance(value, (Unknown, Stream)):
        return value
    return Unknown() if is_heavy(value) else call.callee(value)


def _math(call: Call) -> Any:
    values = call.args
    if unknown_in(values) is not None or any(isinstance(value, (torch.Tensor, *SYMBOLIC)) for value in values):
        return _symbolic(call) if call.callee in (math.floor, math.ceil, math.sqrt) else Unknown("number")
    if refused(call) is not None:
        return Unknown("int")
    try:
        return call.callee(*values, **call.kwargs)
    except (ArithmeticError, ValueError, TypeError):
        return Unknown("number")


def _symbolic(call: Call) -> Any:
    value = call.args[0]
    if call.callee is math.sqrt and isinstance(value, torch.SymInt):
        return value**0.5
    if isinstance(value, torch.SymInt):
        return value
    if isinstance(value, torch.SymFloat):
        return call.callee(value)
    return Unknown("int" if call.callee is not math.sqrt else "number")


special(*(getattr(math, name) for name in dir(math) if callable(getattr(math, name)) and not name.startswith("_")))(_math)
