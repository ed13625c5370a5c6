"""How much one call of plain Python may cost: what could take long, or much memory, is not carried out and is unknown."""

from __future__ import annotations

import collections
import copy
import functools
import itertools
import math
import operator
import re
import types
from typing import Any, List, Optional

import torch
from torch import nn

from torch_handbook_worker.tensors.operation import Call
from torch_handbook_worker.tensors.sizes import fixed
from torch_handbook_worker.tensors.values import Unknown, words

try:  # where the parser of patterns is depends on Python's version
    from re import _parser as patterns  # type: ignore[attr-defined]
except ImportError:
    import sre_parse as patterns  # type: ignore[no-redef]

LONG = 100_000  # letters of a text, bits of a number, items that are handed on
ITEMS = 20_000  # items of a list that is made or changed: what a loop changes is kept as it was before
MANY = 4096  # tensors or layers in one list, parts of one split
NODES = 5000  # values inside each other that are looked at, hashed, printed or compared
SIZED = (str, bytes, bytearray, list, tuple, set, frozenset, dict, range, collections.deque)
COLLECTIONS = (dict, list, tuple, set, frozenset)
REPEATED = (list, tuple, str, bytes)
TAKING_NUMBERS = words(
    "get pop append index count insert setdefault add discard remove extend update bit_length fromkeys itemgetter"
)
LOOKING_THROUGH = words("join repr str format hash deepcopy copy dumps update union index count sorted")
CAREFUL = words(
    "builtins itertools _operator operator collections _collections functools _functools heapq _heapq _bisect string _string "
    "copy math"
)
TEMPLATE = re.compile(r"\d{5,}|\*")
POWERS = {
    operator.pow: "**", operator.mul: "*", operator.lshift: "<<", operator.add: "+", operator.concat: "+", operator.mod: "%",
    operator.ipow: "**", operator.imul: "*", operator.ilshift: "<<", operator.iadd: "+", operator.iconcat: "+",
}  # fmt: skip


def is_heavy(value: Any, limit: int = NODES) -> bool:
    """Whether a value holds very many others: ten pairs of pairs of pairs are already a thousand."""
    if not isinstance(value, (*COLLECTIONS, str, bytes)):
        return False
    waiting: List[Any] = [value]
    while waiting:
        found = waiting.pop()
        limit -= 1
        if limit < 0:
            return True
        if isinstance(found, dict):
            waiting.extend(list(found.values())[: limit + 1])
        elif isinstance(found, COLLECTIONS):
            waiting.extend(list(found)[: limit + 1])
        elif isinstance(found, (str, bytes)):
            limit -= len(found) // 64
    return False


def operation(symbol: str, left: Any, right: Any) -> Optional[Unknown]:
    """What stands for `left OP right` where that would be too large; None where it may be computed."""
    if symbol == "*":
        for items, times in ((left, right), (right, left)):
            if isinstance(items, REPEATED) and isinstance(times, int) and times * len(items) > _most(items):
                return Unknown(item=functools.partial(operator.getitem, items, 0))
    if symbol == "+" and isinstance(left, SIZED) and isinstance(right, SIZED) and len(left) + len(right) > _most(left):
        return Unknown("str" if isinstance(left, str) else "", item=functools.partial(next, iter(left)) if len(left) else None)
    if (
        symbol == "%"
        and isinstance(left, (str, bytes))
        and TEMPLATE.search(left if isinstance(left, str) else left.decode("latin1"))
    ):
        return Unknown("str")
    if isinstance(left, int) and isinstance(right, int):
        bits = {
            "**": left.bit_length() * max(right, 0),
            "*": left.bit_length() + right.bit_length(),
            "<<": left.bit_length() + right,
        }
        return Unknown("int") if bits.get(symbol, 0) > LONG else None
    return Unknown("number") if symbol == "**" and isinstance(right, int) and abs(right) > 512 and _is_exact(left) else None


def _is_exact(value: Any) -> bool:
    return not isinstance(value, (int, float, complex, torch.Tensor, torch.SymInt, torch.SymFloat))


def _most(items: Any) -> int:
    """How long a list may grow: one of tensors or layers is handed to torch as a whole."""
    first = items[0] if isinstance(items, (list, tuple)) and items else None
    return MANY if isinstance(first, (torch.Tensor, nn.Module)) else LONG if isinstance(items, (str, bytes)) else ITEMS


def refused(made: Call) -> Optional[Unknown]:
    """What stands for the result of a call that could be too expensive; None where it may be carried out."""
    if made.name.startswith("torch"):
        return _many_parts(made)
    callee, owner = made.callee, getattr(made.callee, "__self__", None)
    name = str(getattr(callee, "__name__", ""))
    home = str(getattr(callee, "__module__", None) or type(owner).__module__)
    values = [value for value in (owner, *made.args, *made.kwargs.values()) if value is not None]
    if isinstance(owner, re.Pattern) or (home == "re" and not isinstance(owner, re.Match)):
        return None if _is_quick(made, values) else Unknown()
    try:
        symbol = POWERS.get(callee)
    except TypeError:
        symbol = None
    if symbol is not None and len(made.args) == 2:
        return operation(symbol, *made.args)
    if any(isinstance(value, SIZED) and len(value) > LONG for value in values if not isinstance(value, types.ModuleType)):
        return Unknown()
    if home not in CAREFUL and not isinstance(callee, type):
        return None
    return Unknown() if _is_large(callee, name, owner, made, values) else None


def _is_large(callee: Any, name: str, owner: Any, made: Call, values: List[Any]) -> bool:
    numbers = [abs(value) for value in values if isinstance(value, int) and not isinstance(value, bool)]
    if name in ("factorial", "comb", "perm"):
        return max(numbers, default=0) > 2000
    if name == "pow" and len(numbers) == 2 and len(made.args) == 2:
        return operation("**", *made.args) is not None
    if name == "replace" and isinstance(owner, (str, bytes)) and len(made.args) > 1:
        return len(owner) * max(1, len(made.args[1])) > LONG * 10
    if name in ("format", "format_map") and any(isinstance(value, str) and TEMPLATE.search(value) for value in values):
        return True
    if name in LOOKING_THROUGH and any(is_heavy(value) for value in values):
        return True
    if name in TAKING_NUMBERS or callee in (int, float, complex, bool) or callee is math.gcd:
        return False
    plain = callee in (bytes, bytearray, itertools.tee, copy.copy) or isinstance(owner, (str, bytes, bytearray, list, tuple))
    return plain and max(numbers, default=0) > LONG


def _is_quick(made: Call, values: List[Any]) -> bool:
    """Whether a pattern cannot take long: a repeat within a repeat tries all ways to cut a text."""
    owner = getattr(made.callee, "__self__", None)
    pattern = owner.pattern if isinstance(owner, re.Pattern) else made.args[0] if made.args else ""
    pattern = pattern.pattern if isinstance(pattern, re.Pattern) else pattern
    longest = max((len(value) for value in values[1:] if isinstance(value, (str, bytes))), default=0)
    if not isinstance(pattern, str) or len(pattern) > 500 or longest > 20_000:
        return False
    try:
        repeats, depth = _repeats(patterns.parse(pattern), 0)
    except Exception:
        return False
    if depth > 1:
        return longest <= 12
    return longest ** max(repeats, 1) <= 1_000_000


def _repeats(tree: Any, depth: int) -> Any:
    """How many open repeats a pattern has, and how deep they nest; a choice within one counts as another."""
    count, deepest = 0, depth
    for code, argument in list(tree):
        inner = depth
        if "REPEAT" in str(code):
            unbounded = int(argument[1]) > 40 or depth > 0
            count, inner = count + unbounded, depth + unbounded
        elif "BRANCH" in str(code):
            inner = depth + (depth > 0)
        parts = argument if isinstance(argument, (list, tuple)) else ()
        for part in parts:
            for found in part if isinstance(part, list) else (part,):
                if isinstance(found, patterns.SubPattern):
                    more, below = _repeats(found, inner)
                    count, deepest = count + more, max(deepest, below)
        deepest = max(deepest, inner)
    return count, deepest


def _many_parts(made: Call) -> Optional[Unknown]:
    """A tensor that is cut into very many parts: one of them stands for all."""
    if made.short not in ("split", "chunk", "unbind", "tensor_split", "hsplit", "vsplit", "split_with_sizes"):
        return None
    given = made.argument(0, "input")
    if not isinstance(given, torch.Tensor) or not given.dim():
        return None
    axis = made.argument(1 if made.short == "unbind" else 2, "dim", 0)
    if not isinstance(axis, int) or not -given.dim() <= axis < given.dim():
        return None
    size, step = fixed(given.shape[axis]), made.argument(1, "split_size_or_sections")
    parts = size if made.short == "unbind" else None
    if size is not None and isinstance(step, int) and step > 0 and made.short != "unbind":
        parts = -(-size // step) if made.short in ("split", "split_with_sizes") else min(size, step)
    return Unknown(item=Unknown) if parts is not None and parts > MANY else None
