"""NumPy's functions on arrays without data: what they do to shapes and dtypes."""

from __future__ import annotations

import math
from typing import Any, Callable, Dict

import torch

from torch_handbook_worker.tensors.arrays import (
    DTYPES,
    FLOATING,
    KEPT,
    REDUCING,
    Array,
    Kind,
    binary,
    converted,
    dtype_of,
    floating,
    indexed,
    made,
    measured,
    promoted,
    reduced,
    reshaped,
    transposed,
)
from torch_handbook_worker.tensors.operation import Call
from torch_handbook_worker.tensors.python_calls import special
from torch_handbook_worker.tensors.sizes import SYMBOLIC
from torch_handbook_worker.tensors.to_numpy import watch_function
from torch_handbook_worker.tensors.values import UNKNOWN, Unknown

Function = Callable[..., Any]
FUNCTIONS: Dict[str, Function] = {}
RANDOM: Dict[str, Function] = {}
OF_SIZES = frozenset({"zeros", "ones", "empty", "full", "eye", "identity", "arange"})  # the first argument of others is data


def function(*names: str, into: Dict[str, Function] = FUNCTIONS) -> Callable[[Function], Function]:
    """Registers a function by its names in NumPy; what it cannot understand is unknown."""

    def register(found: Function) -> Function:
        for name in names:
            into[name] = _walked(found, name, into)
        return found

    return register


def _walked(found: Function, name: str, into: Dict[str, Function]) -> Function:
    def stand_in(*given: Any, **named: Any) -> Any:
        return UNKNOWN

    stand_in.__name__ = name

    @special(stand_in)
    def _call(call: Call) -> Any:
        session = call.frame.session
        watch_function(call, name)
        values = [*call.args, *call.kwargs.values()]
        values += [item for value in values if isinstance(value, (list, tuple)) for item in value[:64]]
        if any(map(session.journal.is_blurred, values)):
            return Unknown()  # a list that a loop has filled
        data = 0 if into is RANDOM or name in OF_SIZES else 1
        given = [*call.args[:data], *(_numbers(session.sizes, value) for value in call.args[data:])]
        sized = {key: _numbers(session.sizes, value) for key, value in call.kwargs.items() if key in ("size", "shape")}
        named = {**call.kwargs, **sized}
        try:
            return found(name, *given, **named)
        except Exception:
            return UNKNOWN

    return stand_in


def _numbers(sizes: Any, value: Any) -> Any:
    """An argument with free sizes in place of unknown numbers that are sizes by their names."""
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return type(value)(_numbers(sizes, item) for item in value)
    return value if isinstance(value, Array) else sizes.number(value)


@function("zeros", "ones", "empty")
def _filled(name: str, shape: Any, dtype: Any = float, *rest: Any, **named: Any) -> Any:
    return made(shape, dtype_of(dtype))


def _mapped(*given: Any, **named: Any) -> Any:
    """np.memmap: all of a file in a row, as long as it is, where no shape is told."""
    return UNKNOWN


@special(_mapped)
def _memmap(call: Call) -> Any:
    dtype = dtype_of(call.argument(1, "dtype", None))
    shape = call.argument(4, "shape", None)
    return made([call.frame.session.sizes.free("n")] if shape is None else shape, dtype)


FUNCTIONS["memmap"] = _mapped


@function("full")
def _full(name: str, shape: Any, value: Any, dtype: Any = None, **named: Any) -> Any:
    found = measured(value)
    return made(shape, dtype_of(dtype) if dtype is not None else found.tensor.dtype if found is not None else None)


@function("zeros_like", "ones_like", "empty_like", "full_like")
def _alike(name: str, array: Any, *given: Any, dtype: Any = None, **named: Any) -> Any:
    found = measured(array)
    if given and name != "full_like":
        dtype = given[0]
    return UNKNOWN if found is None else found if dtype is None else converted(found, dtype)


@function("eye", "identity")
def _eye(name: str, rows: Any, columns: Any = None, *rest: Any, dtype: Any = float, **named: Any) -> Any:
    return made([rows, rows if columns is None else columns], dtype_of(dtype))


@function("arange")
def _arange(name: str, *bounds: Any, dtype: Any = None, **named: Any) -> Any:
    if len(bounds) == 1 and isinstance(bounds[0], (int, torch.SymInt)) and not isinstance(bounds[0], bool):
        return made([bounds[0]], dtype_of(dtype) if dtype is not None else torch.int64)
    if not 0 < len(bounds) < 4 or not all(type(value) in (int, float) for value in bounds):
        return UNKNOWN
    start, stop, step = (0, *bounds, 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    whole = all(type(value) is int for value in bounds)
    count = max(0, math.ceil((stop - start) / step))
    return made([count], dtype_of(dtype) if dtype is not None else torch.int64 if whole else torch.float64)


@function("linspace", "logspace", "geomspace")
def _spaced(name: str, start: Any, stop: Any, num: Any = 50, *rest: Any, dtype: Any = float, **named: Any) -> Any:
    plain = all(isinstance(value, (int, float, Unknown, *SYMBOLIC)) and not isinstance(value, Array) for value in (start, stop))
    return made([num], dtype_of(dtype)) if plain and not rest and not named else UNKNOWN


@function("array", "asarray", "ascontiguousarray", "asanyarray")
def _array(name: str, value: Any, dtype: Any = None, **named: Any) -> Any:
    found = measured(value)
    return UNKNOWN if found is None or "ndmin" in named else found if dtype is None else converted(found, dtype)


@function("reshape")
def _reshape(name: str, array: Any, shape: Any, **named: Any) -> Any:
    return reshaped(_sure(array), shape)


@function("transpose", "permute_dims")
def _transpose(name: str, array: Any, axes: Any = None) -> Any:
    return transposed(_sure(array), axes)


@function("expand_dims")
def _expand(name: str, array: Any, axis: Any) -> Any:
    found = _sure(array)
    return found.with_tensor(found.tensor.unsqueeze(axis)) if type(axis) is int else UNKNOWN


@function("squeeze")
def _squeeze(name: str, array: Any, axis: Any = None) -> Any:
    found = _sure(array)
    return found.with_tensor(found.tensor.squeeze() if axis is None else found.tensor.squeeze(axis))


@function("concatenate", "stack", "vstack", "hstack", "column_stack")
def _joined(name: str, arrays: Any, axis: Any = 0, **named: Any) -> Any:
    rows = [_sure(array) for array in arrays]
    dtype = rows[0].tensor.dtype
    for row in rows[1:]:
        dtype = promoted(dtype, row.tensor.dtype)
    if named or type(axis) is not int:
        return UNKNOWN
    how = {"concatenate": torch.cat, "stack": torch.stack, "vstack": torch.vstack, "hstack": torch.hstack}
    tensors = [row.tensor.to(dtype) for row in rows]
    tensor = (
        torch.column_stack(tensors)
        if name == "column_stack"
        else how[name](tensors, *([axis] if name in ("concatenate", "stack") else []))
    )
    return Array(tensor, any(row.is_vague for row in rows))


@function(*FLOATING)
def _floats(name: str, value: Any, *rest: Any, **named: Any) -> Any:
    return floating(value) if isinstance(value, Array) and not rest and not named else Unknown("number")


@function(*KEPT)
def _kept(name: str, value: Any, *rest: Any, **named: Any) -> Any:
    if not isinstance(value, Array):
        return Unknown("number") if isinstance(value, (int, float)) else UNKNOWN
    return UNKNOWN if name in ("cumsum", "cumprod") and not rest and "axis" not in named and value.tensor.dim() > 1 else value


@function(*REDUCING, "median", "average", "amax", "amin")
def _reduced(name: str, array: Any, axis: Any = None, *rest: Any, keepdims: Any = False, **named: Any) -> Any:
    return reduced(_sure(array), {"amax": "max", "amin": "min"}.get(name, name), axis, keepdims) if not rest else UNKNOWN


@function("add", "subtract", "multiply", "divide", "maximum", "minimum", "power", "dot", "matmul")
def _binary(name: str, left: Any, right: Any, **named: Any) -> Any:
    symbols = {"divide": "/", "dot": "@", "matmul": "@", "power": "**"}
    return binary(symbols.get(name, "+"), left, right) if not named else UNKNOWN


@function("take")
def _take(name: str, array: Any, key: Any, **named: Any) -> Any:
    return indexed(_sure(array), key) if not named and _sure(array).tensor.dim() == 1 else UNKNOWN


def _sure(value: Any) -> Array:
    found = measured(value)
    if found is None:
        raise TypeError("not an array that is known")
    return found


@function("rand", "randn", into=RANDOM)
def _rand(name: str, *sizes: Any) -> Any:
    return made(sizes, torch.float64) if sizes else Unknown("number")


@function("random", "random_sample", "sample", "standard_normal", into=RANDOM)
def _sample(name: str, size: Any = None, dtype: Any = float, **named: Any) -> Any:
    return Unknown("number") if size is None else made(size, dtype_of(dtype))


@function("normal", "uniform", "laplace", "gamma", "beta", "lognormal", into=RANDOM)
def _drawn(name: str, *given: Any, size: Any = None, loc: Any = 0, scale: Any = 1, low: Any = 0, high: Any = 1) -> Any:
    size = given[2] if len(given) > 2 else size
    plain = not any(isinstance(value, (Array, list)) for value in (*given[:2], loc, scale, low, high))
    return UNKNOWN if not plain else Unknown("number") if size is None else made(size, torch.float64)


@function("randint", "integers", "poisson", "binomial", into=RANDOM)
def _whole(name: str, *given: Any, size: Any = None, dtype: Any = int, **named: Any) -> Any:
    size = given[2] if len(given) > 2 and name in ("randint", "integers", "binomial") else size
    return Unknown("int") if size is None else made(size, dtype_of(dtype))


@function("permutation", into=RANDOM)
def _permutation(name: str, value: Any, *rest: Any, **named: Any) -> Any:
    return (
        made([value], torch.int64) if isinstance(value, (int, torch.SymInt)) else value if isinstance(value, Array) else UNKNOWN
    )


@function("choice", into=RANDOM)
def _choice(name: str, value: Any, size: Any = None, *rest: Any, **named: Any) -> Any:
    if isinstance(value, (int, torch.SymInt)):
        return Unknown("int") if size is None else made(size, torch.int64)
    found = _sure(value)
    return UNKNOWN if size is None or found.tensor.dim() != 1 else made(size, found.tensor.dtype)


class Generator:
    """What np.random.default_rng gives."""

    def __init__(self, *given: Any, **named: Any) -> None:
        self.__dict__.update(RANDOM)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Unknown(name=name)


KINDS: Dict[str, Any] = {name: Kind(dtype) for name, dtype in DTYPES.items()}
VALUES: Dict[str, Any] = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan, "newaxis": None}
DRAWS: Dict[str, Any] = {**RANDOM, "default_rng": Generator, "RandomState": Generator}
MEMBERS: Dict[str, Any] = {**VALUES, **FUNCTIONS, **KINDS}
