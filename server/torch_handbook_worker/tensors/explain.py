"""Why an operation fails, where the reason is two sizes that do not fit: numbers, or expressions that are never equal."""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, List, Optional, Tuple

import torch
from torch import nn

from torch_handbook_worker.tensors.certainty import common_divisor, differ, product_of
from torch_handbook_worker.tensors.kernel_dtypes import explained
from torch_handbook_worker.tensors.operation import ARITHMETIC, Call, constructor_details
from torch_handbook_worker.tensors.sizes import fixed, is_free, shape_of
from torch_handbook_worker.tensors.solutions import nearest

Explanation = Tuple[str, Dict[str, Any]]  # the reason and the details of a failure


def explain(call: Call) -> Optional[Explanation]:
    """The reason of a failure and the numbers that words need, or None where none is certain."""
    try:
        found = _explainer(call)
        explanation = found(call) if found is not None else None
        return explained(call) if explanation is None else explanation
    except Exception:  # an odd argument: nothing is certain then
        return None


def _explainer(call: Call) -> Optional[Callable[[Call], Optional[Explanation]]]:
    for kind, function in MODULES:
        if isinstance(call.module, kind):
            return function
    if call.name in ARITHMETIC:
        return _broadcast
    return FUNCTIONS.get(call.short)


def _shape(call: Call, reason_sizes: Dict[str, Any]) -> Explanation:
    return "shape", reason_sizes


def _shown(call: Call, tensor: Any) -> List[Any]:
    return [call.frame.session.sizes.show(size) for size in tensor.shape]


def _size(call: Call, size: Any) -> Any:
    return call.frame.session.sizes.show(size)


def is_decided(details: Dict[str, Any]) -> bool:
    """Whether it took a proof: one of the sizes that do not fit is not a plain number."""
    pair = [details.get(name) for name in ("features", "channels", "numel")]
    for name in ("inner", "sizes", "batch"):
        pair += details.get(name) or []
    return any(isinstance(size, str) for size in pair)


def _unflattened(call: Call, tensor: Any) -> Dict[str, Any]:
    sizes = getattr(tensor, "handbook_unflattened", None)
    return {"unflattened": [call.frame.session.sizes.show(size) for size in sizes]} if sizes else {}


def _nearest(call: Call, tensor: Any, wanted: Any) -> Dict[str, Any]:
    """What the number of features is a multiple of, and what it is for inputs around the one that the layer was made for."""
    features = tensor.shape[-1]
    if not is_free(features):
        return {}
    divisor = common_divisor(features)
    around = nearest(getattr(tensor, "handbook_unflattened", None) or [features], wanted)
    return {"nearest": around, "multiple": divisor if divisor > 1 and fixed(wanted) is not None and wanted % divisor else 0}


def _linear_module(call: Call) -> Optional[Explanation]:
    given, module = call.argument(0, "input"), call.module
    assert module is not None
    if not isinstance(given, torch.Tensor) or not given.dim():
        return None
    features, wanted = given.shape[-1], module.weight.shape[-1]
    if not differ(features, wanted):
        return None
    details = {"in_features": _size(call, wanted), "features": _size(call, features), "input": _shown(call, given)}
    more = {**_unflattened(call, given), **_nearest(call, given, wanted), **constructor_details(call, module, "in_features")}
    return _shape(call, {**details, **more})


def _linear(call: Call) -> Optional[Explanation]:
    given, weight = call.argument(0, "input"), call.argument(1, "weight")
    features, wanted = given.shape[-1], weight.shape[-1]
    if not differ(features, wanted):
        return None
    details = {"in_features": _size(call, wanted), "features": _size(call, features), "input": _shown(call, given)}
    return _shape(call, {**details, **_unflattened(call, given), **_nearest(call, given, wanted)})


def _conv_module(call: Call) -> Optional[Explanation]:
    module = call.module
    assert module is not None
    given, spatial = call.argument(0, "input"), len(module.kernel_size)
    axis = 1 if given.dim() == spatial + 2 else 0
    if given.dim() not in (spatial + 1, spatial + 2):
        return _shape(call, {"rank": given.dim(), "ranks": [spatial + 1, spatial + 2], "input": _shown(call, given)})
    channels, wanted = given.shape[axis], module.in_channels
    if not differ(channels, wanted):
        return None
    details = {"in_channels": _size(call, wanted), "channels": _size(call, channels), "input": _shown(call, given)}
    return _shape(call, {**details, **constructor_details(call, module, "in_channels")})


def _conv(call: Call) -> Optional[Explanation]:
    given, weight = call.argument(0, "input"), call.argument(1, "weight")
    groups = call.argument(6, "groups", 1)
    if given.dim() != weight.dim():
        return None
    wanted, channels = fixed(weight.shape[1]), fixed(given.shape[1])
    if wanted is None or channels is None or wanted * groups == channels:
        return None
    return _shape(call, {"in_channels": wanted * groups, "channels": channels, "input": _shown(call, given)})


def _matmul(call: Call) -> Optional[Explanation]:
    left, right = call.argument(0, "input"), call.argument(1, "other", call.kwargs.get("mat2"))
    if not left.dim() or not right.dim():
        return None
    inner, outer = left.shape[-1], right.shape[-2 if right.dim() > 1 else -1]
    if differ(inner, outer):
        pair = [_size(call, inner), _size(call, outer)]
        return _shape(call, {"left": _shown(call, left), "right": _shown(call, right), "inner": pair})
    pair = _conflict(call, left.shape[:-2], right.shape[:-2])
    return None if pair is None else _shape(call, {"left": _shown(call, left), "right": _shown(call, right), "batch": list(pair)})


def _conflict(call: Call, one: Any, other: Any) -> Optional[Tuple[int, Any, Any]]:
    """The axis from the end, and both sizes, where two shapes cannot be stretched to each other."""
    for axis, (left, right) in enumerate(zip(reversed(list(one)), reversed(list(other))), 1):
        if differ(left, right) and differ(left, 1) and differ(right, 1):
            return (-axis, _size(call, left), _size(call, right))
    return None


def _broadcast(call: Call) -> Optional[Explanation]:
    tensors = [value for value in (call.argument(0, "input"), call.argument(1, "other")) if isinstance(value, torch.Tensor)]
    if len(tensors) != 2:
        return None
    pair = _conflict(call, tensors[0].shape, tensors[1].shape)
    if pair is None:
        return None
    shapes = {"left": _shown(call, tensors[0]), "right": _shown(call, tensors[1])}
    return _shape(call, {**shapes, "axis": pair[0], "sizes": [pair[1], pair[2]]})


def _cat(call: Call) -> Optional[Explanation]:
    tensors, axis = list(call.argument(0, "tensors")), call.argument(1, "dim", 0)
    tensors = [tensor for tensor in tensors if not (tensor.dim() == 1 and fixed(tensor.shape[0]) == 0)]
    first = tensors[0]
    for position, tensor in enumerate(tensors[1:], 1):
        if tensor.dim() != first.dim():
            return _shape(
                call,
                {"shapes": [_shown(call, row) for row in tensors], "position": position, "ranks": [first.dim(), tensor.dim()]},
            )
        for place in range(first.dim()):
            if call.short in ("cat", "concat", "concatenate") and place == axis % first.dim():
                continue
            if differ(first.shape[place], tensor.shape[place]):
                shapes, pair = [_shown(call, row) for row in tensors], [_size(call, row.shape[place]) for row in (first, tensor)]
                return _shape(call, {"shapes": shapes, "dim": axis, "position": position, "axis": place, "sizes": pair})
    return None


def _view(call: Call) -> Optional[Explanation]:
    given = call.argument(0, "input")
    target = call.args[0] if call.args and isinstance(call.args[0], (tuple, list)) else call.args
    if not isinstance(getattr(call.callee, "__self__", None), torch.Tensor):
        target = call.args[1]
    total, product = product_of(given.shape), product_of(size for size in target if fixed(size) != -1)
    shown = {"from": _shown(call, given), "to": [_size(call, size) for size in target], "numel": _size(call, total)}
    if any(fixed(size) == -1 for size in target):
        return None if fixed(total) is None or fixed(product) is None or total % product == 0 else _shape(call, shown)
    return _shape(call, {**shown, "asked": _size(call, product)}) if differ(total, product) else None


def _batch_norm(call: Call) -> Optional[Explanation]:
    module, given = call.module, call.argument(0, "input")
    assert module is not None
    ranks = {"BatchNorm1d": (2, 3), "BatchNorm2d": (4,), "BatchNorm3d": (5,)}.get(type(module).__name__)
    if ranks is not None and given.dim() not in ranks:
        return _shape(call, {"rank": given.dim(), "ranks": list(ranks), "input": _shown(call, given)})
    channels, wanted = given.shape[1], module.num_features
    if not differ(channels, wanted):
        return None
    details = {"num_features": _size(call, wanted), "channels": _size(call, channels), "input": _shown(call, given)}
    return _shape(call, {**details, **constructor_details(call, module, "num_features")})


def _layer_norm(call: Call) -> Optional[Explanation]:
    module, given = call.module, call.argument(0, "input")
    assert module is not None
    wanted = list(module.normalized_shape)
    ending = [fixed(size) for size in given.shape[-len(wanted) :]]
    if any(size is not None and fixed(want) is not None and size != want for size, want in zip(ending, wanted)):
        details = {"normalized_shape": wanted, "input": _shown(call, given)}
        return _shape(call, {**details, **constructor_details(call, module, "normalized_shape")})
    return None


def _group_norm(call: Call) -> Optional[Explanation]:
    module, given = call.module, call.argument(0, "input")
    assert module is not None
    channels, wanted = fixed(given.shape[1]), fixed(module.num_channels)
    if channels is None or wanted is None or channels == wanted:
        return None
    details = {"num_channels": wanted, "channels": channels, "input": _shown(call, given)}
    return _shape(call, {**details, **constructor_details(call, module, "num_channels")})


def _rnn(call: Call) -> Optional[Explanation]:
    module, given = call.module, call.argument(0, "input")
    assert module is not None
    features, wanted = given.shape[-1], module.input_size
    if differ(features, wanted):
        details = {"input_size": _size(call, wanted), "features": _size(call, features), "input": _shown(call, given)}
        return _shape(call, {**details, **constructor_details(call, module, "input_size")})
    return _rnn_state(call, module, given)


def _rnn_state(call: Call, module: Any, given: Any) -> Optional[Explanation]:
    state = call.argument(1, "hx")
    state = state[0] if isinstance(state, (tuple, list)) else state
    if not isinstance(state, torch.Tensor) or given.dim() != 3:
        return None
    directions = 2 if module.bidirectional else 1
    batch = given.shape[0] if module.batch_first else given.shape[1]
    wanted = [module.num_layers * directions, batch, module.proj_size or module.hidden_size]
    pairs = [(fixed(left), fixed(right)) for left, right in zip(state.shape, wanted)]
    if len(state.shape) == 3 and any(None not in pair and pair[0] != pair[1] for pair in pairs):
        shown = [call.frame.session.sizes.show(size) for size in wanted]
        return _shape(call, {"state": _shown(call, state), "expected_state": shown, "batch_first": module.batch_first})
    return None


def _embedding(call: Call) -> Optional[Explanation]:
    indices = call.argument(0, "input")
    if isinstance(indices, torch.Tensor) and indices.dtype not in (torch.int64, torch.int32):
        return "dtype", {"dtype": str(indices.dtype)[6:], "expected": ["int64", "int32"], "argument_name": "input"}
    return None


def _einsum(call: Call) -> Optional[Explanation]:
    equation, operands = call.args[0], call.args[1:]
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = list(operands[0])
    inputs = re.sub(r"\s", "", equation).split("->")[0].split(",")
    seen: Dict[str, Tuple[int, int]] = {}
    for position, (letters, tensor) in enumerate(zip(inputs, operands)):
        if "." in letters or len(letters) != tensor.dim():
            return None if "." in letters else _shape(call, {"equation": equation, "position": position, "rank": tensor.dim()})
        for letter, size in zip(letters, shape_of(tensor)):
            known = fixed(size)
            if known is None or known == 1:
                continue
            before = seen.setdefault(letter, (known, position))
            if before[0] != known:
                shapes = [_shown(call, row) for row in operands]
                return _shape(call, {"equation": equation, "letter": letter, "sizes": [before[0], known], "shapes": shapes})
    return None


def _cross_entropy(call: Call) -> Optional[Explanation]:
    logits, target = call.argument(0, "input"), call.argument(1, "target")
    if logits.dtype.is_floating_point and target.dtype.is_floating_point and target.dim() < logits.dim():
        return "dtype", {
            "dtype": str(target.dtype)[6:],
            "expected": ["int64"],
            "argument_name": "target",
            "target": _shown(call, target),
        }
    shapes = {"input": _shown(call, logits), "target": _shown(call, target)}
    if target.dim() != logits.dim() and target.dim() != logits.dim() - 1:
        return _shape(call, {**shapes, "ranks": [logits.dim(), target.dim()]})
    rest = [size for axis, size in enumerate(logits.shape) if axis != 1 or logits.dim() == 1 or target.dim() == logits.dim()]
    for wanted, size in zip(rest, target.shape):
        if differ(wanted, size):
            return _shape(call, {**shapes, "sizes": [_size(call, wanted), _size(call, size)]})
    return None


def _same_shape(call: Call) -> Optional[Explanation]:
    given, target = call.argument(0, "input"), call.argument(1, "target")
    shapes = {"input": _shown(call, given), "target": _shown(call, target)}
    if given.dim() != target.dim():
        return _shape(call, shapes)
    for left, right in zip(given.shape, target.shape):
        if differ(left, right):
            return _shape(call, {**shapes, "sizes": [_size(call, left), _size(call, right)]})
    if not target.dtype.is_floating_point:
        return "dtype", {"dtype": str(target.dtype)[6:], "expected": ["float32"], "argument_name": "target", **shapes}
    return None


MODULES: List[Tuple[Any, Callable[[Call], Optional[Explanation]]]] = [
    (nn.Linear, _linear_module),
    (nn.modules.conv._ConvNd, _conv_module),
    (nn.modules.batchnorm._BatchNorm, _batch_norm),
    (nn.LayerNorm, _layer_norm),
    (nn.GroupNorm, _group_norm),
    (nn.RNNBase, _rnn),
    (nn.Embedding, _embedding),
    ((nn.CrossEntropyLoss, nn.NLLLoss), _cross_entropy),
    ((nn.BCELoss, nn.BCEWithLogitsLoss), _same_shape),
]
FUNCTIONS: Dict[str, Callable[[Call], Optional[Explanation]]] = {
    "linear": _linear, "conv1d": _conv, "conv2d": _conv, "conv3d": _conv, "matmul": _matmul, "mm": _matmul, "bmm": _matmul,
    "@": _matmul, "cat": _cat, "concat": _cat, "concatenate": _cat, "stack": _cat, "view": _view, "reshape": _view,
    "einsum": _einsum, "cross_entropy": _cross_entropy, "nll_loss": _cross_entropy, "binary_cross_entropy": _same_shape,
    "binary_cross_entropy_with_logits": _same_shape, "embedding": _embedding, "add": _broadcast, "sub": _broadcast,
    "mul": _broadcast, "div": _broadcast, "add_": _broadcast, "sub_": _broadcast, "mul_": _broadcast, "div_": _broadcast,
    "maximum": _broadcast, "minimum": _broadcast,
}  # fmt: skip
