"""What is told of an operation that runs, but whose axes can hardly mean what it does with them."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

import torch

from torch_handbook_worker.protocol import Failure, Operand, Span
from torch_handbook_worker.tensors.operation import Call, operands_of
from torch_handbook_worker.tensors.promises import is_loose
from torch_handbook_worker.tensors.sizes import expression_of, fixed
from torch_handbook_worker.tensors.trace import span_of
from torch_handbook_worker.tensors.values import words

Key = Tuple[Span, str]
REASON = "axes"
# What computes each value from the one at the same place, so that axes keep their meaning.
UNARY = words(
    "abs pow square exp expm1 log log1p log2 sqrt rsqrt neg float double half bfloat16 int long bool to type clone detach cpu "
    "cuda contiguous clamp clip clamp_min clamp_max relu sigmoid tanh sign nan_to_num logical_not - ~ nan_to_num dropout Dropout "
    "softplus reciprocal requires_grad_ isclose"
)
PAIRWISE = words(
    "+ - * / // % ** & | ^ < <= > >= == != add sub subtract mul multiply div divide true_divide pow eq ne lt le gt ge maximum "
    "minimum logical_and logical_or fmod remainder not_equal greater less"
)
COMPARING = words("< <= > >= == != eq ne lt le gt ge not_equal greater less")


def remark(call: Call, kind: str, details: Dict[str, Any], span: Optional[Span] = None) -> Optional[Key]:
    """Write a remark down; give the key under which it can be taken back."""
    trace = call.frame.session.trace
    if call.frame.source.path != trace.path:
        return None
    found = Failure(span or span_of(call.node), REASON, call.name, "", "", operands_of(call), {"kind": kind, **details})
    trace.fail(found, trace.path)
    return (found.span, REASON)


def shown(call: Call, tensor: Any) -> List[Any]:
    """The sizes of a tensor as a reader sees them."""
    return [call.frame.session.sizes.show(size) for size in tensor.shape]


def text_of(call: Call, tensor: Any) -> str:
    """How the user wrote an operand, or nothing."""
    found = next((row for row, (_, value) in zip(operand_rows(call), call.operands) if value is tensor), None)
    return found.text if found is not None else ""


def operand_rows(call: Call) -> List[Operand]:
    """The operands of a call, in order."""
    return operands_of(call)


def same(one: Any, other: Any) -> bool:
    """Whether two sizes are surely equal."""
    return expression_of(one) == expression_of(other)


def is_one(size: Any) -> bool:
    """Whether a size is surely 1."""
    return fixed(size) == 1


def is_certain(tensor: Any) -> bool:
    """Whether the shape of a tensor was computed, and not guessed."""
    return isinstance(tensor, torch.Tensor) and is_loose(tensor) != "shape"
