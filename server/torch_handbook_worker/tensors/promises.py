"""What an operation promises to give even where its input does not fit or is not known, so that later lines still have shapes."""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, List, Optional, Tuple

import torch
from torch import nn

from torch_handbook_worker.tensors.operation import ARITHMETIC, Call
from torch_handbook_worker.tensors.sizes import fixed
from torch_handbook_worker.tensors.values import UNKNOWN, Unknown, each, words

CONVOLUTIONS = (nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)
SHAPE_KEPT = (nn.ReLU, nn.ReLU6, nn.GELU, nn.SiLU, nn.ELU, nn.LeakyReLU, nn.Sigmoid, nn.Tanh, nn.Dropout, nn.Identity,
              nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.LayerNorm)  # fmt: skip
# What keeps the shape of its input.
SAME = words(
    "ReLU GELU SiLU Dropout Identity Sigmoid Tanh LeakyReLU ELU relu gelu silu dropout sigmoid tanh leaky_relu contiguous "
    "float clone detach to cuda Dropout2d requires_grad_ Softmax softmax ReLU6 Hardswish Mish"
)


MOVING = words("resize_ squeeze_ unsqueeze_ transpose_ swapaxes_ swapdims_ t_ set_ resize_as_ as_strided_ rename_ unflatten_")
# What keeps the shape of its first operand whatever number its other ones are.
KEPT = words(
    "gelu silu leaky_relu elu mish hardswish hardsigmoid softplus log_softmax normalize rms_norm group_norm instance_norm roll "
    "flip cumsum cumprod clamp clip clamp_min clamp_max nan_to_num tril triu dropout1d dropout2d dropout3d alpha_dropout "
    "bernoulli exp log sqrt rsqrt sin cos abs neg round floor ceil square contiguous"
)


def promise(call: Call) -> Any:
    """The result that the operation would give if its operands fitted, or an unknown."""
    for kind, function in MODULES:
        if isinstance(call.module, kind):
            return _try(function, call)
    if call.name in ARITHMETIC:
        scaled = any(isinstance(value, Unknown) for value in call.args)
        return _try(_scaled if scaled else _stretched, call)
    if call.short.endswith("_") and not call.short.startswith("_"):
        receiver = getattr(call.callee, "__self__", None)
        if isinstance(receiver, torch.Tensor) and call.short not in MOVING:
            return receiver  # changed in place by something that is not known: its shape stays
    function = FUNCTIONS.get(call.short)
    return _try(function, call) if function is not None else UNKNOWN


def _try(function: Callable[[Call], Any], call: Call) -> Any:
    try:
        return loose(function(call), "shape" if function in (_stretched, _same, _stack) else "dtype")
    except Exception:
        return UNKNOWN


def loose(value: Any, what: str = "shape") -> Any:
    """Mark what was promised and not computed: its dtype and graph are not certain, nor, with "shape", its shape."""
    item: Any
    for item in each(value):
        if isinstance(item, torch.Tensor):
            marked: Any = item
            if is_loose(item) != "shape":
                marked.handbook_loose = what
            if what == "shape":
                marked.handbook_sure_axis = None
    return value


def is_loose(value: Any) -> str:
    """What is not certain of a tensor: "" (all is), "dtype", or "shape" (nothing is)."""
    return str(getattr(value, "handbook_loose", ""))


def sure_axis(value: Any) -> Optional[int]:
    """The axis, from the end, whose size a layer sets whatever its input is, so that it is certain of a guessed tensor too."""
    return getattr(value, "handbook_sure_axis", None)


def keep_sure_axis(call: Call, value: Any) -> None:
    """Note the axis that a layer sets, or that an operation leaves as its input had it."""
    module = call.module
    if isinstance(module, nn.Linear):
        value.handbook_sure_axis = -1
    elif isinstance(module, CONVOLUTIONS):
        value.handbook_sure_axis = -len(module.kernel_size) - 1
    elif isinstance(module, SHAPE_KEPT) or (module is None and call.short in SAME):
        given = call.argument(0, "input")
        if isinstance(given, torch.Tensor) and given.dim() == value.dim():
            value.handbook_sure_axis = sure_axis(given)


def less_certain(one: Any, other: Any) -> Any:
    """Which of two tensors of one shape is known less well; the first where both are known alike."""
    if is_loose(other) == "shape" and (is_loose(one) != "shape" or sure_axis(other) != sure_axis(one)):
        return other
    return one


def like(given: Any, sizes: List[Any], dtype: Any = None) -> Any:
    """A new tensor of other sizes that belongs to the graph of `given`."""
    made = torch.empty(sizes, dtype=dtype or given.dtype)
    if given.requires_grad and torch.is_grad_enabled() and made.dtype.is_floating_point:
        made = made.requires_grad_() * 1
    return made


def _given(call: Call) -> Any:
    given = call.argument(0, "input")
    if isinstance(given, torch.Tensor):
        return given
    raise TypeError


def _linear(call: Call) -> Any:
    given = _given(call)
    assert call.module is not None
    return call.module(like(given, [*given.shape[:-1], call.module.in_features], call.module.weight.dtype))


def _conv(call: Call) -> Any:
    given, module = _given(call), call.module
    assert module is not None
    spatial = len(module.kernel_size)
    sizes = [*given.shape]
    if len(sizes) not in (spatial + 1, spatial + 2):
        raise TypeError
    sizes[-spatial - 1] = module.in_channels
    return module(like(given, sizes, module.weight.dtype))


def _same(call: Call) -> Any:
    given = _given(call)
    return like(given, [*given.shape])


def _rnn(call: Call) -> Any:
    given, module = _given(call), call.module
    assert module is not None
    directions = 2 if module.bidirectional else 1
    hidden = module.proj_size or module.hidden_size
    out = like(given, [*given.shape[:-1], hidden * directions], module.weight_hh_l0.dtype)
    batch = [] if given.dim() == 2 else [given.shape[0] if module.batch_first else given.shape[1]]
    state = like(out, [module.num_layers * directions, *batch, hidden])
    if isinstance(module, nn.LSTM):
        return out, (state, like(out, [module.num_layers * directions, *batch, module.hidden_size]))
    return out, state


def _embedding(call: Call) -> Any:
    given, module = _given(call), call.module
    assert module is not None
    return module(torch.zeros(*given.shape, dtype=torch.int64))


def _scalar(call: Call) -> Any:
    given = _given(call)
    reduction = getattr(call.module, "reduction", call.kwargs.get("reduction", "mean"))
    if reduction == "none":
        raise TypeError
    return like(given, [])


def _stretched(call: Call) -> Any:
    tensors = [value for value in call.args[:2] if isinstance(value, torch.Tensor)]
    longer, shorter = (tensors[0], tensors[1]) if tensors[0].dim() >= tensors[1].dim() else (tensors[1], tensors[0])
    sizes = [*longer.shape]
    better = is_loose(longer) == "shape" and is_loose(shorter) != "shape"
    for place in range(1, shorter.dim() + 1):
        own, other = fixed(sizes[-place]), fixed(shorter.shape[-place])
        if own == 1 or (own is None and other is not None and other != 1) or (better and other != 1):
            sizes[-place] = shorter.shape[-place]
    dtype = torch.bool if call.name in ("<", "<=", ">", ">=", "==", "!=") else torch.result_type(*tensors)
    return like(longer, sizes, dtype)


def _scaled(call: Call) -> Any:
    tensors = [value for value in call.args[:2] if isinstance(value, torch.Tensor)]
    other = next((value for value in call.args[:2] if isinstance(value, Unknown)), None)
    if len(tensors) != 1 or (other is not None and other.kind not in ("int", "number", "bool")):
        raise TypeError
    dtype = torch.bool if call.name in ("<", "<=", ">", ">=", "==", "!=") else tensors[0].dtype
    if call.name == "/" and not dtype.is_floating_point and not dtype.is_complex:
        dtype = torch.get_default_dtype()
    return like(tensors[0], [*tensors[0].shape], dtype)


def _matmul(call: Call) -> Any:
    left, right = call.argument(0, "input"), call.argument(1, "other", call.kwargs.get("mat2"))
    rows = [] if left.dim() == 1 else [left.shape[-2]]
    columns = [] if right.dim() == 1 else [right.shape[-1]]
    batch = left.shape[:-2] if left.dim() >= right.dim() else right.shape[:-2]
    return like(left if left.requires_grad else right, [*batch, *rows, *columns])


def _cat(call: Call) -> Any:
    tensors, axis = list(call.argument(0, "tensors")), call.argument(1, "dim", 0)
    sizes = [*tensors[0].shape]
    if any(tensor.dim() != len(sizes) for tensor in tensors):
        raise TypeError
    sizes[axis] = sum(tensor.shape[axis] for tensor in tensors)
    return like(next((tensor for tensor in tensors if tensor.requires_grad), tensors[0]), sizes)


def _stack(call: Call) -> Any:
    tensors, axis = list(call.argument(0, "tensors")), call.argument(1, "dim", 0)
    sizes = [*tensors[0].shape]
    sizes.insert(axis if axis >= 0 else len(sizes) + 1 + axis, len(tensors))
    return like(tensors[0], sizes)


SHAPES = re.compile(r"shape|sizes|dims$|^size$")


def may_be_shape(value: Any) -> bool:
    """Whether what is given alone may be all sizes: `torch.zeros(input_shape)`, `torch.zeros((1,) + space.shape)`."""
    return isinstance(value, Unknown) and value.kind == "" and (not value.name or bool(SHAPES.search(value.name)))


def _view(call: Call) -> Any:
    given = _given(call)
    target = call.args[0] if call.args and isinstance(call.args[0], (tuple, list)) else call.args
    if call.args and call.args[0] is given:
        target = call.args[1]
    if len(target) == 1 and may_be_shape(target[0]):
        return UNKNOWN
    sizes: List[Any] = []
    for size in target:
        unknown = isinstance(size, Unknown) or fixed(size) == -1
        sizes.append(call.frame.session.sizes.free("n") if unknown else size)
    return like(given, sizes)


def _einsum(call: Call) -> Any:
    equation, operands = re.sub(r"\s", "", call.args[0]), call.args[1:]
    inputs, result = equation.split("->")
    sizes: Dict[str, Any] = {}
    for letters, tensor in zip(inputs.split(","), operands):
        sizes.update(zip(letters, tensor.shape))
    return like(operands[0], [sizes[letter] for letter in result])


def _covariance(call: Call) -> Any:
    given = _given(call)
    return like(given, [given.shape[0], given.shape[0]] if given.dim() == 2 else [])


MODULES: List[Tuple[Any, Callable[[Call], Any]]] = [
    (nn.Linear, _linear),
    (nn.modules.conv._ConvNd, _conv),
    ((nn.modules.batchnorm._BatchNorm, nn.LayerNorm, nn.GroupNorm), _same),
    (nn.RNNBase, _rnn),
    (nn.Embedding, _embedding),
    (nn.modules.loss._Loss, _scalar),
]
FUNCTIONS: Dict[str, Callable[[Call], Any]] = {
    "@": _matmul, "matmul": _matmul, "bmm": _matmul, "mm": _matmul, "cat": _cat, "concat": _cat, "stack": _stack, "view": _view,
    "reshape": _view, "einsum": _einsum, "cross_entropy": _scalar, "nll_loss": _scalar, "mse_loss": _scalar, "l1_loss": _scalar,
    "binary_cross_entropy": _scalar, "binary_cross_entropy_with_logits": _scalar, "layer_norm": _same, "batch_norm": _same,
    "cov": _covariance, "corrcoef": _covariance, "relu": _same, "dropout": _same, "softmax": _same,
    "sigmoid": _same, "tanh": _same, **dict.fromkeys(KEPT, _same),
}  # fmt: skip
