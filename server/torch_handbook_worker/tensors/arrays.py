"""NumPy's arrays without NumPy: a shape and a dtype, kept by a tensor without data. What is not written here is unknown."""

from __future__ import annotations

import math
from typing import Any, Dict, List, Optional

import torch

from torch_handbook_worker.tensors.sizes import SYMBOLIC, fixed
from torch_handbook_worker.tensors.values import UNKNOWN, Unknown, words

DTYPES: Dict[str, Any] = {
    "float64": torch.float64, "double": torch.float64, "float_": torch.float64, "float32": torch.float32, "single": torch.float32,
    "float16": torch.float16, "half": torch.float16, "int64": torch.int64, "int_": torch.int64, "long": torch.int64,
    "int32": torch.int32, "intc": torch.int32, "int16": torch.int16, "int8": torch.int8, "uint8": torch.uint8,
    **{name: getattr(torch, name) for name in ("uint16", "uint32", "uint64") if hasattr(torch, name)},
    "bool": torch.bool, "bool_": torch.bool, "complex64": torch.complex64, "complex128": torch.complex128,
}  # fmt: skip
PLAIN = {float: torch.float64, int: torch.int64, bool: torch.bool}
COMPARING = words("< <= > >= == !=")
BROADCAST = words("+ - * / // % ** & | ^ < <= > >= == !=")
FLOATING = words("exp log log2 log10 log1p expm1 sqrt sin cos tan tanh sinh cosh arcsin arccos arctan rad2deg deg2rad")
KEPT = words(
    "abs absolute negative square sign clip round around cumsum cumprod flip roll sort nan_to_num ascontiguousarray copy"
)


class Array(Unknown):
    """An array. To code that knows no arrays it is an unknown value."""

    def __init__(self, tensor: Any, is_vague: bool = False) -> None:
        super().__init__("array", "")
        self.tensor = tensor
        self.is_vague = is_vague  # whether its dtype depends on NumPy's version, or on a value
        self.item: Any = self._row if tensor.dim() else None

    def _row(self) -> Any:
        return self.with_tensor(self.tensor.select(0, 0))

    def with_tensor(self, tensor: Any) -> Array:
        """An array of the same certainty."""
        return Array(tensor, self.is_vague)


class Kind:
    """One of NumPy's dtypes; called, it converts."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype

    def __call__(self, value: Any = 0) -> Any:
        if isinstance(value, Array):
            return Array(value.tensor.to(self.dtype))
        return Unknown("number" if self.dtype.is_floating_point else "int")


def dtype_of(value: Any) -> Any:
    """torch's name of a dtype as NumPy takes it: np.float32, "float32", float; None where it is not known."""
    if isinstance(value, Kind):
        return value.dtype
    if isinstance(value, str):
        return DTYPES.get(value)
    return PLAIN.get(value) if isinstance(value, type) else None


def made(sizes: Any, dtype: Any) -> Any:
    """A new array; an unknown where a size is one."""
    rows = list(sizes) if isinstance(sizes, (list, tuple)) else [sizes]
    if dtype is None or not all(isinstance(size, (int, torch.SymInt)) for size in rows):
        return UNKNOWN
    if any((fixed(size) or 0) < 0 for size in rows):
        return UNKNOWN
    return Array(torch.empty(rows, dtype=dtype))


def measured(value: Any) -> Optional[Array]:
    """What np.array makes of numbers and lists; None where that is not known."""
    if isinstance(value, Array):
        return value
    if isinstance(value, range):
        return Array(torch.empty([len(value)], dtype=torch.int64))
    if type(value) in PLAIN:
        return Array(torch.empty([], dtype=PLAIN[type(value)]))
    if isinstance(value, SYMBOLIC) or (isinstance(value, Unknown) and value.kind in ("int", "number", "bool")):
        kind = value.kind if isinstance(value, Unknown) else "int" if isinstance(value, torch.SymInt) else "number"
        return Array(torch.empty([], dtype={"int": torch.int64, "bool": torch.bool}.get(kind, torch.float64)), kind == "number")
    if isinstance(value, (list, tuple)) and 0 < len(value) <= 4096:
        return _rows(value)
    return None


def _rows(value: Any) -> Optional[Array]:
    rows = [measured(item) for item in value]
    known = [row for row in rows if row is not None]
    if len(known) < len(rows) or any(str(row.tensor.shape) != str(known[0].tensor.shape) for row in known):
        return None
    kind = known[0].tensor.dtype
    for row in known[1:]:
        kind = promoted(kind, row.tensor.dtype)
    return Array(torch.empty([len(rows), *known[0].tensor.shape], dtype=kind), any(row.is_vague for row in known))


def promoted(one: Any, other: Any) -> Any:
    """The dtype of two arrays together: unlike torch, NumPy goes to float64 where float32 cannot hold all whole numbers."""
    kinds = {one, other}
    wide = kinds & {torch.int64, torch.int32}
    if wide and kinds & {torch.float32, torch.float16}:
        return torch.float64
    return torch.promote_types(one, other)


def binary(symbol: str, left: Any, right: Any) -> Any:
    """`left OP right` where one of them is an array."""
    if isinstance(left, torch.Tensor) or isinstance(right, torch.Tensor):
        return UNKNOWN
    one, other = measured(left), measured(right)
    if one is None or other is None:
        return UNKNOWN
    try:
        shape = _shape(symbol, one.tensor, other.tensor)
    except Exception:
        return UNKNOWN
    if symbol in COMPARING:
        return Array(torch.empty(shape, dtype=torch.bool))
    dtype, is_vague = _dtype(symbol, left, right, one, other)
    return Array(torch.empty(shape, dtype=dtype), is_vague)


def _shape(symbol: str, one: Any, other: Any) -> Any:
    if symbol == "@":
        return [*(one.float() @ other.float()).shape]
    if symbol not in BROADCAST:
        raise TypeError
    return [*(torch.empty([*one.shape]) + torch.empty([*other.shape])).shape]


def _dtype(symbol: str, left: Any, right: Any, one: Array, other: Array) -> Any:
    """The dtype of a result; a plain number of Python's leaves an array of floats as it is."""
    is_vague = one.is_vague or other.is_vague
    for value, array, number in ((left, one, right), (right, other, left)):
        if isinstance(value, Array) and not isinstance(number, Array):
            dtype = array.tensor.dtype
            floats = type(number) is float or isinstance(number, (Unknown, torch.SymFloat))
            if not dtype.is_floating_point and not dtype.is_complex and (floats or symbol == "/"):
                dtype = torch.float64
            return dtype, array.is_vague or (isinstance(number, Unknown) and dtype is not torch.float64)
    dtype = promoted(one.tensor.dtype, other.tensor.dtype)
    if symbol == "/" and not dtype.is_floating_point and not dtype.is_complex:
        dtype = torch.float64
    return dtype, is_vague


def reduced(array: Array, how: str, axis: Any = None, keepdims: Any = False) -> Any:
    """sum, mean, max and their like over an axis, some, or all."""
    dtype = array.tensor.dtype
    if how.startswith("arg"):
        dtype = torch.int64
    elif how in ("mean", "std", "var", "median", "average") and not dtype.is_floating_point:
        dtype = torch.float64
    elif how in ("sum", "prod") and dtype in (torch.bool, torch.int32, torch.int16, torch.int8):
        dtype = torch.int64
    elif how in ("any", "all"):
        dtype = torch.bool
    axes = list(range(array.tensor.dim())) if axis is None else list(axis) if isinstance(axis, tuple) else [axis]
    if not all(type(place) is int for place in axes) or not isinstance(keepdims, bool):
        return UNKNOWN
    chosen = {place % array.tensor.dim() for place in axes} if array.tensor.dim() else set()
    shape = [1 if place in chosen else size for place, size in enumerate(array.tensor.shape) if place not in chosen or keepdims]
    return Array(torch.empty(shape, dtype=dtype), array.is_vague)


def reshaped(array: Array, sizes: Any) -> Any:
    """reshape; an unknown where the sizes do not fit."""
    rows = list(sizes) if isinstance(sizes, (list, tuple)) else [sizes]
    if not all(isinstance(size, (int, torch.SymInt)) for size in rows):
        return UNKNOWN
    return array.with_tensor(array.tensor.reshape(rows))


def transposed(array: Array, axes: Any = None) -> Any:
    """The axes turned round, or in the order that is told."""
    order = list(axes) if isinstance(axes, (list, tuple)) and axes else list(reversed(range(array.tensor.dim())))
    return array.with_tensor(array.tensor.permute(order)) if all(type(place) is int for place in order) else UNKNOWN


def floating(array: Array) -> Any:
    """A function that gives floats of what it is given: whole numbers become float64."""
    tensor = array.tensor
    return array.with_tensor(tensor if tensor.dtype.is_floating_point or tensor.dtype.is_complex else tensor.to(torch.float64))


def converted(array: Array, dtype: Any) -> Any:
    """astype."""
    found = dtype_of(dtype)
    return UNKNOWN if found is None else Array(array.tensor.to(found))


def attribute(array: Array, name: str) -> Any:
    """`array.name`: a value, or a method."""
    tensor = array.tensor
    values = {
        "shape": lambda: tuple(tensor.shape), "ndim": tensor.dim, "T": lambda: transposed(array),
        "size": lambda: math.prod(tensor.shape) if tensor.dim() else 1, "dtype": lambda: Kind(tensor.dtype),
    }  # fmt: skip
    if name in values:
        return values[name]()
    if name in REDUCING:
        return lambda axis=None, keepdims=False, **named: reduced(array, name, axis, keepdims)
    if name in ("reshape", "transpose"):
        several = reshaped if name == "reshape" else transposed
        return lambda *sizes, **named: several(
            array, sizes[0] if len(sizes) == 1 and isinstance(sizes[0], (list, tuple)) else sizes
        )
    found = METHODS.get(name)
    return Unknown(name=name) if found is None else (lambda *given, **named: found(array, *given, **named))


REDUCING = words("sum mean std var max min prod argmax argmin any all")
METHODS: Dict[str, Any] = {
    "astype": lambda array, dtype=None, **named: converted(array, dtype),
    "copy": lambda array, *given, **named: array, "round": lambda array, *given: array,
    "clip": lambda array, *given, **named: array,
    "flatten": lambda array, *given: reshaped(array, [-1]), "ravel": lambda array, *given: reshaped(array, [-1]),
    "squeeze": lambda array, axis=None: array.with_tensor(array.tensor.squeeze() if axis is None else array.tensor.squeeze(axis)),
    "swapaxes": lambda array, one, other: array.with_tensor(array.tensor.transpose(one, other)),
    "item": lambda array, *given: Unknown("number" if array.tensor.dtype.is_floating_point else "int"),
    "tolist": lambda array: UNKNOWN, "dot": lambda array, other: binary("@", array, other),
}  # fmt: skip


def common(one: Any, other: Any) -> Any:
    """What is known of an array that is one of two; an unknown where their shapes differ."""
    if not isinstance(one, Array) or not isinstance(other, Array) or str(one.tensor.shape) != str(other.tensor.shape):
        return Unknown()
    return Array(one.tensor, one.is_vague or other.is_vague or one.tensor.dtype != other.tensor.dtype)


def change(array: Array, name: str, value: Any) -> None:
    """Give an array other sizes; where they are not known, or its dtype is set, nobody knows any more what it is."""
    sizes = value[0] if name == "resize" and len(value) == 1 else value
    made = UNKNOWN
    if name in ("resize", "shape"):
        try:
            made = reshaped(array, sizes)
        except Exception:
            made = UNKNOWN
    if isinstance(made, Array):
        array.tensor, array.item = made.tensor, made.item
    else:
        array.kind, array.item = "", None
        array.__class__ = Unknown  # type: ignore[assignment]


def to_tensor(array: Array, dtype: Any = None) -> Any:
    """The tensor that torch makes of an array."""
    tensor = array.tensor if dtype is None else array.tensor.to(dtype)
    fresh: Any = torch.empty([*tensor.shape], dtype=tensor.dtype)
    if array.is_vague and dtype is None:
        fresh.handbook_loose = "dtype"
    return fresh


def indexed(array: Array, key: Any) -> Any:
    """`array[key]`."""
    parts = key if isinstance(key, tuple) else (key,)
    known: List[Any] = []
    for part in parts:
        if isinstance(part, Unknown) and not isinstance(part, Array):
            if part.kind not in ("int", "number"):
                return UNKNOWN
            part = 0
        elif isinstance(part, Array):
            part = part.tensor
        elif isinstance(part, slice) and any(isinstance(end, Unknown) for end in (part.start, part.stop, part.step)):
            return UNKNOWN
        known.append(part)
    return array.with_tensor(array.tensor[tuple(known)])
