"""What torch's kernels do that tensors without data may not know: which dtypes they refuse, which results they give."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Tuple

import torch

from torch_handbook_worker.tensors.values import words

Check = Callable[[str, List[Any]], Optional[str]]
WHOLE = (torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
NAMES = {
    torch.bool: "Bool", torch.uint8: "Byte", torch.int8: "Char", torch.int16: "Short", torch.int32: "Int", torch.int64: "Long",
    torch.float16: "Half", torch.bfloat16: "BFloat16", torch.float32: "Float", torch.float64: "Double",
    torch.complex64: "ComplexFloat", torch.complex128: "ComplexDouble",
}  # fmt: skip
CHECKS: Dict[str, Check] = {}


def check(names: str) -> Callable[[Check], Check]:
    """Registers what a kernel refuses: the message where it does, else None."""

    def register(function: Check) -> Check:
        CHECKS.update(dict.fromkeys(words(names), function))
        return function

    return register


def refuse(func: Any, args: Any, inside: bool) -> None:
    """Raise what the kernel raises for these dtypes. Inside another operator, only changes in place are looked at."""
    name = func._schema.name[6:]
    function = CHECKS.get(name)
    if function is None or (inside and function is not _in_place):
        return
    message = function(name, list(args))
    if message is not None:
        raise RuntimeError(message)


@check("sub sub_ rsub subtract subtract_")
def _subtraction(name: str, args: List[Any]) -> Optional[str]:
    kinds = [_dtype(value) for value in args[:2]]
    if kinds == [torch.bool, torch.bool]:
        return (
            "Subtraction, the `-` operator, with two bool tensors is not supported. "
            "Use the `^` or `logical_xor()` operator instead."
        )
    if torch.bool in kinds and None not in kinds:
        return (
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, "
            "use the `~` or `logical_not()` operator instead."
        )
    return _in_place(name, args) if name.endswith("_") else None


@check("add_ mul_ div_ pow_ addcmul_ addcdiv_ fmod_ remainder_ floor_divide_ atan2_")
def _in_place(name: str, args: List[Any]) -> Optional[str]:
    """A result of another kind of number than the tensor that it is written to."""
    own, others = args[0], args[1:3] if name.startswith("addc") else args[1:2]
    kind = own.dtype
    for other in others:
        if _dtype(other) is None:
            return None
        kind = torch.promote_types(kind, other.dtype) if name.startswith("addc") else _result_type(own, other)
    if name in ("div_", "atan2_") and kind in WHOLE:
        kind = torch.get_default_dtype()
    if torch.can_cast(kind, own.dtype) or kind not in NAMES or own.dtype not in NAMES:
        return None
    return f"result type {NAMES[kind]} can't be cast to the desired output type {NAMES[own.dtype]}"


RESULT_TYPES: Dict[Any, Tuple[Any, int]] = {}


def _result_type(own: Any, other: Any) -> Any:
    """Torch runs operators to find it out, which are counted; beside a plain number it is the same for all tensors with axes."""
    mode = getattr(own, "fake_mode", None)
    if mode is None or type(other) not in (int, float, bool) or not own.dim():
        return torch.result_type(own, other)
    key = (own.dtype, type(other), torch.get_default_dtype(), mode.inside)
    if key not in RESULT_TYPES:
        before = mode.count
        RESULT_TYPES[key] = torch.result_type(own, other), mode.count - before
    else:
        mode.count += RESULT_TYPES[key][1]
    return RESULT_TYPES[key][0]


@check("embedding")
def _embedding(name: str, args: List[Any]) -> Optional[str]:
    given = _dtype(args[1]) if len(args) > 1 else None
    if given in (None, torch.int64, torch.int32):
        return None
    return (
        "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; "
        f"but got {_tensor_type(given)} instead (while checking arguments for embedding)"
    )


@check("binary_cross_entropy_with_logits")
def _targets(name: str, args: List[Any]) -> Optional[str]:
    given = _dtype(args[1])
    if given not in WHOLE or given is torch.bool or args[0].dtype in WHOLE:
        return None
    return f"result type {NAMES[args[0].dtype]} can't be cast to the desired output type {NAMES[given]}"


@check("index_select")
def _chosen(name: str, args: List[Any]) -> Optional[str]:
    given = _dtype(args[2]) if len(args) > 2 else None
    return None if given in (None, torch.int64, torch.int32) else "index_select(): Expected dtype int32 or int64 for index"


@check("_softmax _log_softmax gelu")
def _of_floats(name: str, args: List[Any]) -> Optional[str]:
    """The functions that have no kernel for whole numbers."""
    given = args[0].dtype
    kernel = "GeluKernelImpl" if name == "gelu" else f"{name[1:]}_lastdim_kernel_impl"
    converted = name != "gelu" and len(args) > 2 and args[2] is True
    return f"\"{kernel}\" not implemented for '{NAMES[given]}'" if given in WHOLE and not converted else None


@check("std var std_mean var_mean")
def _spread(name: str, args: List[Any]) -> Optional[str]:
    return "std and var only support floating point and complex dtypes" if args[0].dtype in WHOLE else None


@check("bitwise_and bitwise_or bitwise_xor bitwise_and_ bitwise_or_ bitwise_xor_")
def _bits(name: str, args: List[Any]) -> Optional[str]:
    kinds = [kind for kind in map(_dtype, args[:2]) if kind is not None and kind not in WHOLE]
    return f"\"{name.rstrip('_')}_cpu\" not implemented for '{NAMES.get(kinds[0], 'Float')}'" if kinds else None


def _dtype(value: Any) -> Any:
    """The dtype of a tensor, or of a plain number as torch takes it; None for anything else."""
    if isinstance(value, torch.Tensor):
        return value.dtype
    if isinstance(value, bool):
        return torch.bool
    if isinstance(value, (int, torch.SymInt)):
        return torch.int64
    if isinstance(value, complex):
        return torch.complex64
    return torch.get_default_dtype() if isinstance(value, (float, torch.SymFloat)) else None


def _tensor_type(dtype: Any) -> str:
    return f"torch.{NAMES.get(dtype, 'Float')}Tensor"


def divided(args: Tuple[Any, ...]) -> Tuple[Any, ...]:
    """The operands of a division, the first as fractions where both are whole: with free sizes, torch 2.4 gives whole numbers."""
    if len(args) != 2 or not all(_dtype(value) in WHOLE for value in args) or not isinstance(args[0], torch.Tensor):
        return args
    return torch.empty_like(args[0], dtype=torch.get_default_dtype()), args[1]


def result(name: str, args: Tuple[Any, ...], free: Callable[[], Any]) -> Any:
    """What an operator gives that this torch cannot compute without data; None where that is not known here."""
    function = RESULTS.get(name)
    return None if function is None else function(args, free)


def _to_complex(args: Tuple[Any, ...], free: Callable[[], Any]) -> Any:
    given, axes, _, half = args[:4]
    sizes = [*given.shape]
    if half:
        sizes[axes[-1]] = sizes[axes[-1]] // 2 + 1
    return torch.empty(sizes, dtype=torch.complex128 if given.dtype is torch.float64 else torch.complex64)


def _to_real(args: Tuple[Any, ...], free: Callable[[], Any]) -> Any:
    given, axes, _, last = args[:4]
    sizes = [*given.shape]
    sizes[axes[-1]] = last
    return torch.empty(sizes, dtype=torch.float64 if given.dtype is torch.complex128 else torch.float32)


def _counts(args: Tuple[Any, ...], free: Callable[[], Any]) -> Any:
    weights = args[1] if len(args) > 1 else None
    return torch.empty([free()], dtype=torch.int64 if weights is None else weights.dtype)


RESULTS: Dict[str, Callable[[Tuple[Any, ...], Callable[[], Any]], Any]] = {
    "aten::_fft_r2c": _to_complex,
    "aten::_fft_c2r": _to_real,
    "aten::_fft_c2c": lambda args, free: torch.empty_like(args[0]),
    "aten::bincount": _counts,
    # Torch's own functions ask it of what they were given, as quantile of its fractions; where code asks it, it is unknown.
    "aten::equal": lambda args, free: True,
}
