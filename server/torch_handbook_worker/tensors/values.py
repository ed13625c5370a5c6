"""What the interpreter computes with: real objects where a value is known, and `Unknown` where it is not."""

from __future__ import annotations

from typing import Any, Callable, FrozenSet, Iterator, List, Optional, Tuple


def words(text: str) -> FrozenSet[str]:
    """The words of a text."""
    return frozenset(text.split())


class UnknownValue(Exception):
    """Code that needs a definite value met an unknown one: what it would have done is unknown too."""


class Unknown:
    """A value that is not known. It answers every operation with another unknown, in torch's own code as well.

    `kind` says what little is known: "int", "number", "bool", "str", "device", "dtype", "module", "tensor", or "".
    """

    handbook_round = 0  # of the loops that are walked: those that are made now belong to it
    handbook_born = 0  # the round that this one belongs to
    handbook_joined = False  # whether its name is that of a variable in which arms met: a later variable's is as good

    def __init__(self, kind: str = "", name: str = "", item: Optional[Callable[[], Any]] = None) -> None:
        if Unknown.handbook_round:
            self.handbook_born = Unknown.handbook_round
        self.kind = kind
        self.name = name
        self.item = item  # what iterating over it gives, where that is known
        self.number: Any = None  # the free size that stands for it, once one does
        self.usual: Any = None  # the number that it is where nobody says otherwise: the default of an option

    def __repr__(self) -> str:
        return f"<unknown {self.kind or 'value'}>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        made = Unknown(name=name)
        if self is not UNKNOWN:
            made.handbook_born = self.handbook_born
            self.__dict__[name] = made  # asked again, it is the same unknown
        return made

    def __call__(self, *arguments: Any, **named: Any) -> Unknown:
        return Unknown()

    def __getitem__(self, key: Any) -> Unknown:
        return Unknown()

    def __setitem__(self, key: Any, value: Any) -> None:
        return None

    def __enter__(self) -> Unknown:
        return Unknown()

    def __exit__(self, *raised: Any) -> bool:
        return False

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Unknown:
        return Unknown()

    def __deepcopy__(self, memo: Any) -> Unknown:
        return self

    def __mro_entries__(self, bases: Any) -> Tuple[type, ...]:
        return (Opaque,)

    def __hash__(self) -> int:
        return id(self)


class Opaque:
    """The base of a user's class whose own base is not known: whatever it may define is unknown."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        return None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Unknown(name=name)


class Stream:
    """An iterable whose items are made one at a time, and whose length may be unknown: a loader, `range` of a free size."""

    def __init__(self, item: Callable[[], Any], count: Optional[int] = None, vague: bool = False, size: Any = None) -> None:
        self.item = item
        self.count = count
        self.size = size  # the free size that says how many there are
        self.vague = vague  # whether its items may be others, in another order


class Missing:
    """The value of a name that is not bound."""


MISSING = Missing()


def _spread(self: Unknown, *others: Any) -> Unknown:
    return Unknown("number" if self.kind in NUMERIC else "")


def _compare(self: Unknown, other: Any) -> Unknown:
    return Unknown("bool" if self.kind and (getattr(other, "kind", "") or isinstance(other, (int, float, str))) else "")


def _refuse(self: Unknown, *others: Any) -> Any:
    raise UnknownValue(f"an unknown {self.kind or 'value'}")


UNKNOWN = Unknown()
NUMERIC = frozenset({"int", "number", "bool"})
OPERATORS = words(
    "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor or radd rsub rmul rmatmul rtruediv rfloordiv "
    "rmod rpow rlshift rrshift rand rxor ror neg pos abs invert round iadd isub imul itruediv"
)
for _name in OPERATORS:
    setattr(Unknown, f"__{_name}__", _spread)
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(Unknown, f"__{_name}__", _compare)
for _name in ("bool", "len", "index", "int", "float", "complex", "iter", "next", "contains", "trunc", "floor", "ceil"):
    setattr(Unknown, f"__{_name}__", _refuse)


SIMPLE = frozenset([int, float, bool, str, type(None)])  # most values, and none of them holds others
NESTED = (list, tuple, dict)


def unknown_in(values: Any, depth: int = 3) -> Optional[Unknown]:
    """The first unknown among nested tuples, lists and dicts, or None."""
    if isinstance(values, Unknown):
        return values
    if depth and isinstance(values, (list, tuple)):
        items: Any = values[:64]
    elif depth and isinstance(values, dict):
        items = [*list(values.keys())[:64], *list(values.values())[:64]]
    else:
        return None
    for item in items:
        if type(item) in SIMPLE:
            continue
        found = unknown_in(item, depth - 1)
        if found is not None:
            return found
    return None


def each(values: Any, depth: int = 4) -> Iterator[Any]:
    """The leaves of nested tuples, lists and dicts."""
    if depth and isinstance(values, (list, tuple)):
        items: Any = values[:256]
    elif depth and isinstance(values, dict):
        items = list(values.values())[:256]
    else:
        yield values
        return
    for item in items:
        if depth > 1 and isinstance(item, NESTED):
            yield from each(item, depth - 1)
        else:
            yield item


def unique(values: List[Any]) -> List[Any]:
    """The values without those that are the same object as an earlier one."""
    seen: set[int] = set()
    kept: List[Any] = []
    for value in values:
        if id(value) not in seen:
            seen.add(id(value))
            kept.append(value)
    return kept
