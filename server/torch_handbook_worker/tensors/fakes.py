"""Tensors without data: torch's fake tensors on the CPU, watched for changes in place."""

from __future__ import annotations

import contextlib
import gc
import logging
import math
import numbers
import warnings
import weakref
from typing import Any, Callable, Dict, Generator, List, Optional, Tuple

import sympy
import torch
from torch import nn
from torch._subclasses import fake_tensor
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

from torch_handbook_worker.tensors import kernels, parameters
from torch_handbook_worker.tensors.remembered import ENTRIES, Changes, Remembered, forget_results
from torch_handbook_worker.tensors.sizes import Sizes, expression_of, fixed, forget_expressions
from torch_handbook_worker.tensors.values import each, words

parameters.mend()
Change = Callable[[Any, int, str], None]  # the changed tensor, its version before, the operator

DEVICE: Any = torch.ops.prim.device.default
DIVISION: Any = torch.ops.aten.div.Tensor
DETACH: Any = torch.ops.aten.detach.default
# What torch raises where it cannot tell what an operator gives without data.
LACKING: Any = tuple(
    getattr(fake_tensor, name)
    for name in ("UnsupportedOperatorException", "DynamicOutputShapeException", "DataDependentOutputException")
    if hasattr(fake_tensor, name)
)
MOST_ZEROS = 1_000_000
VIEWS: Any = (torch.ops.aten.view.default, torch.ops.aten._unsafe_view.default)


class Fakes(FakeTensorMode):
    """The mode in which every tensor is fake. It tells `changed` of each tensor that an operator writes to."""

    def __init__(self, sizes: Sizes, changed: Change) -> None:
        self.operands: Any = ()  # those of the operator that is being computed
        super().__init__(shape_env=sizes, allow_non_fake_inputs=True)
        self.changed = changed
        self.count = 0  # operators that were run: the measure of work that does not depend on the machine
        self.counting: Optional[Callable[..., None]] = None  # what is told of each operator and its result
        self.written: Dict[Any, Tuple[Tuple[int, str], ...]] = {}
        self.sizes = sizes
        self.remembered = Remembered(self, sizes)
        self.made: Dict[int, weakref.ref[Any]] = {}  # the tensors that are alive, and others
        self.inside = False  # whether an operator is being computed, which may be made of others

    def __deepcopy__(self, memo: Any) -> Fakes:
        return self

    @property
    def avoid_device_init(self) -> bool:
        """No, since all is on the CPU; torch 2.10 for CUDA, where there is none, dies of it in a second thread."""
        return False

    @avoid_device_init.setter
    def avoid_device_init(self, value: bool) -> None:
        pass

    @property
    def allow_fallback_kernels(self) -> bool:
        """Whether torch may run an operator on zeros, because it does not know its result without: not on large ones."""
        sizes = [math.prod(value.shape) for value in each(list(self.operands)) if isinstance(value, torch.Tensor)]
        return self.fallback and bool(sum(sizes) < MOST_ZEROS)

    @allow_fallback_kernels.setter
    def allow_fallback_kernels(self, value: bool) -> None:
        self.fallback = value

    def _cached_dispatch_impl(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if _has_free_sizes(args):  # a remembered result would have to be computed again for its sizes
            return self._as_asked(func, types, args, self._dispatch_impl(func, types, args, kwargs))
        return super()._cached_dispatch_impl(func, types, args, kwargs)

    def _as_asked(self, func: Any, types: Any, args: Any, result: Any) -> Any:
        """A view has the sizes that were asked for. Torch makes it of splits and merges, whose sizes are the same numbers but
        other expressions: viewing (H, W, C) as (C, H, W) it gives W*C*(H//C)//H in place of W."""
        if func not in VIEWS or len(args) < 2 or not args[0].is_contiguous():
            return result
        sizes = [made if expression_of(size) == -1 else size for size, made in zip(args[1], result.shape)]
        if all(map(_is_same, sizes, result.shape)):
            return result
        strides: List[Any] = [1]
        for size in reversed(sizes[1:]):
            strides.insert(0, strides[0] * size)
        return self._dispatch_impl(torch.ops.aten.as_strided.default, types, (args[0], sizes, strides), {})

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.count += not (func is DETACH or (self.inside and func is DEVICE))  # of these, torch's versions take more or fewer
        if func is DEVICE and not self.in_kernel_invocation and isinstance(args[0], FakeTensor):
            return args[0].fake_device
        written = self.written.get(func)
        if written is None:
            written = self.written[func] = _written_arguments(func)
        if written:
            for position, name in written:
                value = args[position] if position < len(args) else (kwargs or {}).get(name)
                for tensor in value if isinstance(value, (list, tuple)) else (value,):
                    if isinstance(tensor, torch.Tensor):
                        _refuse_overlap(tensor, func)
                        self.changed(tensor, tensor._version, func._schema.name)
        kernels.refuse(func, args, self.inside)
        if self.inside:
            return self._computed(func, types, args, kwargs or {})
        self.inside = True  # what an operator is made of is not told, nor remembered
        try:
            result = self._result(func, types, args, kwargs or {})
        finally:
            self.inside = False
        for value in result if isinstance(result, (list, tuple)) else (result,):
            if isinstance(value, torch.Tensor):
                self.made[id(value)] = weakref.ref(value)
        if self.counting is not None:
            self.counting(func, args, kwargs or {}, result)
        return result

    def forget(self) -> None:
        """Take what was written on tensors off them: from a weight it leads to a graph that holds the weight unseen by Python."""
        for found in self.made.values():
            tensor = found()
            if tensor is not None:
                tensor._fix_weakref()  # torch may be the only one that holds it
                for name in [name for name in vars(tensor) if name.startswith("handbook_")]:
                    delattr(tensor, name)
        self.made.clear()

    def _result(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """What an operator gives: what it gave before for the same forms, else what torch computes."""
        sizes, remembered = self.sizes, self.remembered
        try:
            key, tensors = remembered.key(func, args, kwargs)
        except Changes:
            return self._computed(func, types, args, kwargs)
        entry = ENTRIES.get(key) or remembered.entries.get(key)
        if entry is not None:
            self.count += entry.count
            return remembered.recall(entry, tensors)
        told, sizes.told = sizes.told, False
        before, count = sizes.state(), self.count
        try:
            result = self._computed(func, types, args, kwargs)
            remembered.keep(key, tensors, result, (sizes.told, self.count - count), before)
        finally:
            sizes.told = sizes.told or told
        return result

    def _computed(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func is DIVISION:
            with self:
                args = kernels.divided(args)
        self.operands = args
        try:
            return super().__torch_dispatch__(func, types, args, kwargs)
        except LACKING:
            with self:
                result = kernels.result(func._schema.name, args, self.sizes.create_unbacked_symint)
            if result is None:
                raise
            return result


# Torch wraps it so that the compiler stays out of it; here nothing is compiled.
Fakes.__torch_dispatch__ = getattr(Fakes.__torch_dispatch__, "__wrapped__", Fakes.__torch_dispatch__)


def _has_free_sizes(values: Any) -> bool:
    for value in values:
        if isinstance(value, torch.Tensor):
            if value._has_symbolic_sizes_strides:  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
                return True
        elif isinstance(value, torch.SymInt) or (isinstance(value, (list, tuple)) and _has_free_sizes(value)):
            return True
    return False


def _is_same(one: Any, other: Any) -> bool:
    """Whether two sizes are the same for all that is free in them, however they are written."""
    one, other = expression_of(one), expression_of(other)
    return one == other or sympy.expand(one - other) == 0


# Operators that write to an expanded tensor without a word, or only change what a tensor says of itself.
ALLOWED = words(
    "index_put_ _index_put_impl_ masked_fill_ masked_scatter_ scatter_ index_fill_ index_copy_ set_ resize_ as_strided_ "
    "squeeze_ unsqueeze_ t_ transpose_ detach_ requires_grad_ rename_ index_add_ scatter_add_"
)
OVERLAP = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
    "Please clone() the tensor before performing the operation."
)


def _refuse_overlap(tensor: Any, func: Any) -> None:
    """Torch refuses to write where several elements share a place; tensors without data do not notice."""
    if 0 not in tensor.stride() or func._schema.name.split("::")[-1] in ALLOWED:
        return
    for size, stride in zip(tensor.shape, tensor.stride()):
        if fixed(stride) == 0 and (fixed(size) or 0) > 1:
            raise RuntimeError(OVERLAP)


def _written_arguments(func: Any) -> Tuple[Tuple[int, str], ...]:
    schema = getattr(func, "_schema", None)
    if schema is None or not schema.is_mutable:
        return ()
    rows: List[Tuple[int, str]] = []
    for position, argument in enumerate(schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            rows.append((position, argument.name))
    return tuple(rows)


INITIALISERS = [
    name
    for name in dir(nn.init)
    if (name.endswith("_") and not name.startswith("_"))
    or name in ("_no_grad_uniform_", "_no_grad_normal_", "_no_grad_trunc_normal_")
]


LOGGERS = ("torch._subclasses.fake_tensor", "torch.fx.experimental.symbolic_shapes", "torch.fx.experimental.recording")


def _same(tensor: Any, *arguments: Any, **named: Any) -> Any:
    return tensor


@contextlib.contextmanager
def quiet_torch() -> Generator[None, None, None]:
    """Torch without warnings and slow initialisers, and with all of its global settings as they were afterwards."""
    kept = {name: getattr(nn.init, name) for name in INITIALISERS}
    resets = {kind: kind.reset_parameters for kind in _kinds(nn.Module) if "reset_parameters" in vars(kind)}
    numbers.Integral.register(torch.SymInt)  # LayerNorm asks whether its shape is a number
    validate = torch.distributions.Distribution._validate_args
    loggers = [logging.getLogger(name) for name in LOGGERS]
    silent = [logger.disabled for logger in loggers]
    gradients, dtype = torch.is_grad_enabled(), torch.get_default_dtype()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for logger in loggers:
            logger.disabled = True
        for name in INITIALISERS:
            setattr(nn.init, name, _same)
        for kind in resets:
            if not kind.__name__.startswith(("_NormBase", "BatchNorm", "Lazy", "_Lazy")):
                kind.reset_parameters = _same
        torch.distributions.Distribution.set_default_validate_args(False)
        try:
            yield
        finally:
            for logger, before in zip(loggers, silent):
                logger.disabled = before
            for name, function in kept.items():
                setattr(nn.init, name, function)
            for kind, function in resets.items():
                kind.reset_parameters = function
            torch.distributions.Distribution._validate_args = validate
            torch.set_grad_enabled(gradients)
            torch.set_default_dtype(dtype)


MOST = 4000  # results of operators that torch may remember between files


def forget() -> None:
    """Let torch forget results of operators when they become many: a worker lives long."""
    forget_results()
    cache = getattr(FakeTensorMode, "cache", None)
    if cache is not None and len(cache) > MOST:
        cache.clear()
        forget_expressions()
        gc.collect()


def _kinds(kind: Any) -> List[Any]:
    found: List[Any] = []
    for child in kind.__subclasses__():
        if child.__module__.startswith("torch."):
            found.append(child)
            found.extend(_kinds(child))
    return found


def storage_of(tensor: Any) -> Any:
    """What tensors that share memory share."""
    return tensor.untyped_storage()
