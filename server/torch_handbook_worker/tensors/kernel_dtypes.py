"""Dtypes that torch's kernels refuse: on tensors without data no kernel runs, so these are looked at here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Tuple

import torch
from torch import nn

from torch_handbook_worker.tensors.operation import Call
from torch_handbook_worker.tensors.promises import is_loose
from torch_handbook_worker.tensors.values import words


@dataclass(frozen=True)
class DtypeRefusal:
    """What a kernel says of the dtypes that it was given, and what words need to speak of it."""

    text: str
    details: Dict[str, Any] = field(default_factory=dict)


Check = Callable[[Call], Optional[DtypeRefusal]]

SHORTENED = frozenset([torch.float32, torch.float16, torch.bfloat16])  # autocast makes these one dtype
PRODUCTS = words("@ matmul mm bmm mv dot vdot linear conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d")
WEIGHTED = (nn.Linear, nn.modules.conv._ConvNd, nn.RNNBase, nn.RNNCellBase, nn.MultiheadAttention)
NORMS = (nn.LayerNorm, nn.GroupNorm, nn.modules.batchnorm._BatchNorm)
FLOATS_ONLY = words(
    "softmax log_softmax softmin gelu silu elu selu celu leaky_relu mish hardswish hardsigmoid softplus logsigmoid softshrink "
    "Softmax LogSoftmax Softmin GELU SiLU ELU SELU CELU LeakyReLU Mish Hardswish Hardsigmoid Softplus LogSigmoid Softshrink "
    "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d "
    "multinomial bernoulli rand_like uniform_ xavier_uniform_ kaiming_uniform_ std var"
)
RANDOM = words("rand_like bernoulli")  # their `dtype` is that of the result


def dtype_refusal(call: Call) -> Optional[DtypeRefusal]:
    """What the kernel of a call refuses; None where it takes what it is given, or what that is is not certain."""
    check = _check(call)
    tensors = call.tensors() if check is not None else []
    if check is None or any(is_loose(value) for value in tensors):
        return None
    return check(call)


def explained(call: Call) -> Optional[Tuple[str, Dict[str, Any]]]:
    """The reason and the details of such a refusal."""
    found = dtype_refusal(call)
    return None if found is None else ("dtype", found.details)


def _check(call: Call) -> Optional[Check]:
    if call.module is not None:
        return next((check for kind, check in MODULES if isinstance(call.module, kind)), CHECKS.get(call.short))
    return CHECKS.get(call.short)


def _name(dtype: Any) -> str:
    return str(dtype)[6:]


def _are_tensors(*values: Any) -> bool:
    return all(isinstance(value, torch.Tensor) for value in values)


def _clash(one: Any, other: Any) -> bool:
    """Whether two dtypes differ, and not in a way that autocast would mend."""
    return one != other and not {one, other} <= SHORTENED


def _refused(text: str, given: Any, expected: List[Any], argument: str) -> DtypeRefusal:
    names = [_name(dtype) for dtype in expected]
    return DtypeRefusal(text, {"dtype": _name(given), "expected": names, "argument_name": argument})


# Two operands of one dtype.


def _product(call: Call) -> Optional[DtypeRefusal]:
    left = call.argument(0, "input")
    right = next((call.kwargs[name] for name in ("weight", "mat2", "other", "vec") if name in call.kwargs), None)
    right = call.argument(1, "tensor", right)
    if not _are_tensors(left, right) or not _clash(left.dtype, right.dtype):
        return None
    pair = [_name(left.dtype), _name(right.dtype)]
    return DtypeRefusal(f"both sides must have the same dtype, but are {pair[0]} and {pair[1]}", {"dtypes": pair})


def _weighted(call: Call) -> Optional[DtypeRefusal]:
    given, module = call.argument(0, "input"), call.module
    weight: Any = next(iter(module.parameters()), None) if module is not None else None
    if not _are_tensors(given, weight) or is_loose(weight) or not _clash(given.dtype, weight.dtype):
        return _state(call, given)
    text = f"mat1 and mat2 must have the same dtype, but got {_name(given.dtype)} and {_name(weight.dtype)}"
    return DtypeRefusal(text, {"dtype": _name(given.dtype), "weights": _name(weight.dtype)})


def _state(call: Call, given: Any) -> Optional[DtypeRefusal]:
    """A recurrent layer's state beside its input."""
    state: Any = call.argument(1, "hx") if isinstance(call.module, (nn.RNNBase, nn.RNNCellBase)) else None
    state = state[0] if isinstance(state, (tuple, list)) and state else state
    if not _are_tensors(given, state) or not _clash(given.dtype, state.dtype):
        return None
    return _refused("the state must have the dtype of the input", state.dtype, [given.dtype], "state")


def _normalized(call: Call) -> Optional[DtypeRefusal]:
    """Beside weights of float32 a norm takes halves too, but neither float64 nor whole numbers."""
    found = _weighted(call)
    weight = next(iter(call.module.parameters()), None) if call.module is not None else None
    return found if weight is not None and weight.dtype == torch.float32 else None


def _grid_sample(call: Call) -> Optional[DtypeRefusal]:
    given, grid = call.argument(0, "input"), call.argument(1, "grid")
    if not _are_tensors(given, grid) or not _clash(given.dtype, grid.dtype):
        return None
    return _refused("input and grid must have the same dtype", grid.dtype, [given.dtype], "grid")


def _index_source(call: Call) -> Optional[DtypeRefusal]:
    """`x.index_add_(0, rows, y)` wants y in the dtype of x."""
    given, source = call.argument(0, "input"), call.argument(3, "source", call.kwargs.get("tensor"))
    if not _are_tensors(given, source) or given.dtype == source.dtype:
        return None
    return _refused("self and source must have the same dtype", source.dtype, [given.dtype], "source")


def _indexed(call: Call) -> Optional[DtypeRefusal]:
    """`x[rows] = y` wants y in the dtype of x, where tensors or lists choose the rows."""
    given, key, assigned = call.args
    parts = key if isinstance(key, tuple) else (key,)
    chosen = any(isinstance(part, list) or (isinstance(part, torch.Tensor) and part.dim()) for part in parts)
    if not chosen or not _are_tensors(given, assigned) or not assigned.dim() or given.dtype == assigned.dtype:
        return None
    text = "index put requires the source and destination dtypes match"
    return DtypeRefusal(text, {"dtypes": [_name(given.dtype), _name(assigned.dtype)]})


# Losses.


def _binary(call: Call) -> Optional[DtypeRefusal]:
    given, target = call.argument(0, "input"), call.argument(1, "target")
    if not _are_tensors(given, target) or not given.dtype.is_floating_point or not _clash(given.dtype, target.dtype):
        return None
    return _refused("the target must have the dtype of the input", target.dtype, [given.dtype], "target")


def _classes(call: Call) -> Optional[DtypeRefusal]:
    """Scores are floats, class numbers int64 (or uint8), and the weights of the classes are like the scores."""
    scores, target = call.argument(0, "input"), call.argument(1, "target")
    weight = call.module.weight if call.module is not None else call.argument(2, "weight")
    if not _are_tensors(scores, target):
        return None
    if not scores.dtype.is_floating_point:
        return _refused("scores must be floating point numbers", scores.dtype, [torch.float32], "input")
    if not target.dtype.is_floating_point and target.dtype not in (torch.int64, torch.uint8):
        return _refused("expected target dtype to be Long or Byte", target.dtype, [torch.int64], "target")
    if _are_tensors(weight) and not is_loose(weight) and _clash(weight.dtype, scores.dtype):
        return _refused("weights must have the dtype of the scores", weight.dtype, [scores.dtype], "weight")
    return None


# One operand.


def _one_hot(call: Call) -> Optional[DtypeRefusal]:
    given = call.argument(0, "tensor")
    if not _are_tensors(given) or given.dtype == torch.int64:
        return None
    return _refused("one_hot is only applicable to index tensor of type LongTensor", given.dtype, [torch.int64], "tensor")


def _floats(call: Call) -> Optional[DtypeRefusal]:
    given = call.argument(0, "input", call.kwargs.get("tensor"))
    if not _are_tensors(given) or given.dtype.is_floating_point or given.dtype.is_complex:
        return None
    if isinstance(call.kwargs.get("dtype"), torch.dtype) or any(isinstance(value, torch.dtype) for value in call.args):
        return None
    if call.short == "bernoulli" and len(call.args) + len(call.kwargs) > (call.callee is torch.bernoulli):
        return None  # with its own p the tensor only lends its shape
    return _refused(f"{call.short} is not implemented for {_name(given.dtype)}", given.dtype, [torch.float32], "input")


def _bits(call: Call) -> Optional[DtypeRefusal]:
    """`&`, `|` and `^` of floats."""
    floats: List[Any] = [
        value for value in call.args if isinstance(value, float) or (_are_tensors(value) and value.dtype.is_floating_point)
    ]
    if not floats:
        return None
    kind = next((_name(value.dtype) for value in floats if _are_tensors(value)), "float")
    return DtypeRefusal(f"{call.short[0]} is not implemented for floating point numbers", {"bits": call.short[0], "dtype": kind})


def _in_place(call: Call) -> Optional[DtypeRefusal]:
    """`x *= 0.5` where x holds whole numbers."""
    given: Any = call.argument(0, "input")
    other: Any = call.argument(1, "other")
    floating = isinstance(other, float) or (_are_tensors(other) and other.dtype.is_floating_point)
    if not _are_tensors(given) or not floating or given.dtype.is_floating_point or given.dtype.is_complex:
        return None
    kind = "float32" if isinstance(other, float) else _name(other.dtype)
    return DtypeRefusal(f"result type {kind} can't be cast to the desired output type {_name(given.dtype)}")


MODULES: List[Tuple[Any, Check]] = [
    (WEIGHTED, _weighted),
    (NORMS, _normalized),
    ((nn.CrossEntropyLoss, nn.NLLLoss), _classes),
    (nn.BCELoss, _binary),
]
CHECKS: Dict[str, Check] = {
    **dict.fromkeys(PRODUCTS, _product),
    **dict.fromkeys(FLOATS_ONLY, _floats),
    **dict.fromkeys(words("index_add_ index_copy_ index_add index_copy"), _index_source),
    **dict.fromkeys(words("& | ^ &= |= ^="), _bits),
    **dict.fromkeys(words("*= mul_"), _in_place),
    "grid_sample": _grid_sample, "one_hot": _one_hot, "__setitem__": _indexed,
    "binary_cross_entropy": _binary, "cross_entropy": _classes, "nll_loss": _classes,
}  # fmt: skip
