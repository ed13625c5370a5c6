"""What torch's operators gave for tensors of the same form: an operator without data gives the same again, also for another file.

A form is all that an operator sees of a tensor without data: sizes, strides, dtype. Which tensor it is, what it shares memory
with and how often it was changed stay its own, so a remembered result is a new tensor, or a view of the one that was given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Set, Tuple, Union

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode, in_kernel_invocation_manager

from torch_handbook_worker.tensors.sizes import Sizes, node_of
from torch_handbook_worker.tensors.values import words

Size = Union[int, "FreeSize"]
MOST = 20_000  # results that are kept
# They look at the memory behind a tensor, or change what a tensor says of itself.
OTHERS = words("as_strided as_strided_ as_strided_scatter set_ resize_ resize_as_ set_data lift lift_fresh lift_fresh_copy")
PLAIN = (int, float, bool, str, type(None), complex, torch.dtype, torch.device, torch.layout, torch.memory_format)


INDEXING = words("index _unsafe_index")  # how many elements a mask takes depends on its values
MASKS = (torch.bool, torch.uint8, torch.int8)
MISSING = object()


class Changes(Exception):
    """An operator or one of its operands is of a kind that is not remembered."""


class FreeSize:
    """An expression of free sizes with the numbers that stand for them; each exists once."""

    __slots__ = ("expression", "symbols")

    def __init__(self, expression: Any, symbols: Any) -> None:
        self.expression = expression
        self.symbols = symbols


@dataclass(frozen=True)
class Made:
    """One tensor of a result: a new one, or a view of an operand."""

    sizes: Tuple[Size, ...]
    strides: Tuple[Size, ...]
    offset: Size
    dtype: Any
    bytes: Size
    operand: Optional[int] = None  # whose memory it shares


@dataclass(frozen=True)
class Entry:
    """What an operator gave, and what else came of it."""

    result: Any  # made tensors, numbers of operands that are given back, None, or a tuple or list of these
    told: bool  # whether torch took the number that stands for a free size for a plain one
    count: int  # the operators that it is made of


class Element(torch.Tensor):
    """A tensor that has sizes and nothing else."""

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return NotImplemented


FREE: Dict[Any, FreeSize] = {}
ENTRIES: Dict[Any, Entry] = {}
KINDS: Dict[Any, Optional[bool]] = {}  # by operator: whether it writes to an operand; None where it is not remembered
CPU = torch.device("cpu")
TENSOR: Any = torch.Tensor
CORE: Any = torch._C


class Remembered:
    """The remembered results as one interpretation uses them."""

    def __init__(self, mode: FakeTensorMode, sizes: Sizes) -> None:
        self.mode = mode
        self.sizes = sizes
        self.own = object()  # what nodes are marked with: one that led back here would hold the tensors that torch holds it with
        self.forms: Dict[Any, FreeSize] = {}  # by expression
        self.symbolic: Dict[FreeSize, Any] = {}  # the sizes of this interpretation
        self.entries: Dict[Any, Entry] = {}  # results in which a free size stands for a long expression: the next file has others

    def key(self, func: Any, args: Sequence[Any], kwargs: Any) -> Tuple[Any, List[Any]]:
        """What the result of an operator depends on, and the tensors among its operands."""
        writes = KINDS.get(func, MISSING)
        if writes is MISSING:
            writes = KINDS[func] = _kind(func)
        if writes is None or torch.is_inference_mode_enabled():
            raise Changes
        parts: List[Any] = [func, torch.get_default_dtype(), torch.is_grad_enabled()]
        tensors: List[Any] = []
        self._add(parts, tensors, args)
        for name, value in kwargs.items():
            parts.append(name)
            self._add(parts, tensors, (value,))
        if (writes and _is_shared(tensors)) or (_name(func) in INDEXING and any(one.dtype in MASKS for one in tensors)):
            raise Changes
        return tuple(parts), tensors

    def _add(self, parts: List[Any], tensors: List[Any], values: Sequence[Any]) -> None:
        for value in values:
            if isinstance(value, torch.Tensor):
                tensors.append(value)
                parts.append(self.form(value))
            elif type(value) in PLAIN:
                parts.append(type(value))
                parts.append(value)
            elif isinstance(value, torch.SymInt):
                parts.append(self.size(value))
            elif isinstance(value, torch.SymFloat):
                parts.append((float, self.number(value.node)))
            elif isinstance(value, (list, tuple)):
                parts.append((type(value), len(value)))
                self._add(parts, tensors, value)
            else:
                raise Changes

    def form(self, tensor: Any) -> Tuple[Any, ...]:
        """What an operator sees of a tensor."""
        if type(tensor) is not FakeTensor and not isinstance(tensor, FakeTensor):
            raise Changes
        if tensor.constant is not None or tensor.fake_mode is not self.mode or tensor.fake_device.type != "cpu":
            raise Changes
        if tensor.layout is not torch.strided or tensor.is_nested:
            raise Changes
        sizes, strides, offset = tuple(tensor.shape), tensor.stride(), tensor.storage_offset()
        if tensor._has_symbolic_sizes_strides:
            sizes, strides, offset = tuple(map(self.size, sizes)), tuple(map(self.size, strides)), self.size(offset)
        return (sizes, strides, offset, tensor.dtype, tensor.requires_grad, tensor.is_conj(), tensor.is_neg())

    def size(self, value: Any) -> Size:
        """A size as part of a form."""
        if type(value) is int:
            return value
        node = value.node
        known = getattr(node, "handbook_form", None)
        if known is not None and known[0] is self.own:
            return known[1]
        if getattr(node, "pytype", None) is not int:
            raise Changes
        found = self.number(node)
        self.symbolic.setdefault(found, value)
        node.handbook_form = (self.own, found)
        return found

    def number(self, node: Any) -> FreeSize:
        """A free number as part of a form: a size, or what a float is made of sizes."""
        expression = getattr(node, "_expr", None)
        if expression is None or node.hint is None or node.shape_env is not self.sizes:
            raise Changes
        found = self.forms.get(expression)
        if found is None:
            witnesses = self.sizes.witnesses
            symbols = tuple((symbol, int(witnesses[symbol])) for symbol in sorted(expression.free_symbols, key=str))
            key = (expression, symbols)
            found = FREE.get(key)
            if found is None:
                found = FREE[key] = FreeSize(expression, frozenset(expression.free_symbols))
            self.forms[expression] = found
        return found

    def recall(self, entry: Entry, tensors: Sequence[Any]) -> Any:
        """The result of an operator that is remembered."""
        self.sizes.told = self.sizes.told or entry.told
        return self._again(entry.result, tensors)

    def _again(self, result: Any, tensors: Sequence[Any]) -> Any:
        if isinstance(result, Made):
            return self._make(result, tensors)
        if isinstance(result, int):
            return tensors[result]
        return None if result is None else type(result)(self._again(part, tensors) for part in result)

    def _make(self, made: Made, tensors: Sequence[Any]) -> Any:
        sizes, strides, offset = map(self._symbolic, made.sizes), map(self._symbolic, made.strides), self._symbolic(made.offset)
        if made.operand is not None:
            with in_kernel_invocation_manager(self.mode):
                view = torch.as_strided(tensors[made.operand], tuple(sizes), tuple(strides), offset)
            return FakeTensor(self.mode, view, CPU)
        element = TENSOR._make_wrapper_subclass(
            Element, tuple(sizes), strides=tuple(strides), storage_offset=offset, dtype=made.dtype, device="meta",
            storage_size=self._symbolic(made.bytes),
        )  # fmt: skip
        with CORE._DisableTorchDispatch():  # it would ask the element's own class
            return FakeTensor(self.mode, element, CPU)

    def _symbolic(self, size: Size) -> Any:
        if not isinstance(size, FreeSize):
            return size
        found = self.symbolic.get(size)
        if found is None:
            found = self.symbolic[size] = torch.SymInt(node_of(self.sizes, size.expression))
        return found

    def keep(self, key: Any, tensors: Sequence[Any], result: Any, more: Tuple[bool, int], state: Tuple[int, int]) -> None:
        """Remember what an operator gave, where all of it follows from the form of the operands."""
        names, cut = self.sizes.state()
        if names != state[0]:
            return  # a number that nobody knows
        before = [part for part in key if type(part) is tuple and len(part) == 7]
        try:
            if [self.form(tensor) for tensor in tensors] != before:
                return
            made = self._kept(result, tensors)
        except Changes:
            return
        known = _symbols(key)
        if cut != state[1]:
            known |= {symbol for node in self.sizes.cuts.values() for symbol in node._expr.free_symbols}
        if _symbols(made) <= known:
            (ENTRIES if cut == state[1] else self.entries)[key] = Entry(made, *more)

    def _kept(self, result: Any, tensors: Sequence[Any]) -> Any:
        if result is None:
            return None
        if isinstance(result, (tuple, list)):
            return (list if isinstance(result, list) else tuple)(self._kept(part, tensors) for part in result)
        if not isinstance(result, torch.Tensor):
            raise Changes
        for place, tensor in enumerate(tensors):
            if tensor is result:
                return place
        sizes, strides, offset, dtype, grad, conjugate, negative = self.form(result)
        if grad or conjugate or negative:
            raise Changes
        storage = result.untyped_storage()
        for place, tensor in enumerate(tensors):
            if tensor.untyped_storage()._cdata == storage._cdata:
                if dtype != tensor.dtype or tensor.is_conj() or tensor.is_neg():
                    raise Changes
                return Made(sizes, strides, offset, dtype, 0, place)
        if result._version:
            raise Changes
        return Made(sizes, strides, offset, dtype, self.size(storage.nbytes()))


def _name(func: Any) -> str:
    return func._schema.name.split("::")[-1]


def _kind(func: Any) -> Optional[bool]:
    """Whether an operator writes to an operand; None where its results are not remembered."""
    if not isinstance(func, torch._ops.OpOverload) or func.namespace not in ("aten", "prims"):
        return None
    tags = {str(tag).split(".")[-1] for tag in func.tags}
    unfit = {"data_dependent_output", "inplace_view"} | (set() if _name(func) in INDEXING else {"dynamic_output_shape"})
    return None if tags & unfit or _name(func) in OTHERS else func._schema.is_mutable


def _is_shared(tensors: Sequence[Any]) -> bool:
    """Whether operands share memory."""
    return len({tensor.untyped_storage()._cdata for tensor in tensors}) < len(tensors)


def _symbols(value: Any) -> Set[Any]:
    """The free sizes in forms and results."""
    if isinstance(value, FreeSize):
        return set(value.symbols)
    if isinstance(value, Made):
        value = (value.sizes, value.strides, value.offset, value.bytes)
    return set().union(*map(_symbols, value)) if isinstance(value, (tuple, list)) else set()


def forget_results() -> None:
    """Let go of what was remembered when it becomes much."""
    if len(ENTRIES) > MOST:
        ENTRIES.clear()
        FREE.clear()
