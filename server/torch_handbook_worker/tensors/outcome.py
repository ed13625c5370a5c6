"""What comes of a call: torch's own result, a failure that is certain, or an unknown."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
from typing import Any, Dict, List, Optional, Tuple

import torch
from torch import nn

from torch_handbook_worker.protocol import Failure
from torch_handbook_worker.tensors import elsewhere, recurrent
from torch_handbook_worker.tensors.assumed import assume
from torch_handbook_worker.tensors.confirm import refusal
from torch_handbook_worker.tensors.explain import Explanation, explain, is_decided
from torch_handbook_worker.tensors.holes import Hole, fill_by_layer, fill_by_weight, input_of
from torch_handbook_worker.tensors.keywords import UNEXPECTED, told, written
from torch_handbook_worker.tensors.members import parameters
from torch_handbook_worker.tensors.notes import device_of, is_placed, origin_of, put_on
from torch_handbook_worker.tensors.operation import Call, operands_of
from torch_handbook_worker.tensors.promises import CONVOLUTIONS, SAME, is_loose, keep_sure_axis, like, loose, promise, sure_axis
from torch_handbook_worker.tensors.sizes import SYMBOLIC, expression_of, fixed, is_free
from torch_handbook_worker.tensors.trace import span_of
from torch_handbook_worker.tensors.unify import unify
from torch_handbook_worker.tensors.values import UNKNOWN, Unknown, UnknownValue, each, unknown_in
from torch_handbook_worker.tensors.watchers import watch, watch_error

CERTAIN: List[Tuple[str, str]] = [  # what autograd itself says, with the reason that it is
    ("leaf Variable that requires grad", "leaf"),
    ("is a view and is being modified inplace", "view"),
    ("Trying to backward through the graph a second time", "backward-twice"),
    ("does not require grad and does not have a grad_fn", "no-grad-fn"),
]
OF_DTYPES = ("dtype", "scalar type", "result type", "Long", "overflow", "data type", "bool tensor", "not implemented for '")
BESIDE_WEIGHTS = {"mm": "mat2", "matmul": "other", "linear": "weight", "@": "other"}  # and what the weight is called
NO_SCALAR = "implicitly created only for scalar outputs"
RAISED = (RuntimeError, ValueError, TypeError, IndexError, AssertionError, NotImplementedError)


def settle(call: Call, result: Any) -> Any:
    """A result with what torch does not carry: its device, where it came from, whether it is certain."""
    inputs = call.tensors()
    made: List[Any] = [value for value in each(result) if isinstance(value, torch.Tensor)]
    if not made or len(made) > 512:
        return result
    known = {id(value) for value in inputs}
    device = _device(call, inputs)
    vague = {is_loose(value) for value in inputs} - {""}
    path, trace = call.frame.source.path, call.frame.session.trace
    made = [value for value in made if id(value) not in known]
    for value in made:
        if device != "cpu" or all(map(is_placed, inputs)):
            put_on(value, device)
        if vague:
            loose(value, "shape" if "shape" in vague else "dtype")
        if is_loose(value):
            keep_sure_axis(call, value)
        if path == trace.path and origin_of(value) is None:
            value.handbook_origin = span_of(call.node)
        _keep_unflattened(call, inputs, value)
    watch(call, inputs, made)
    return result


def _device(call: Call, inputs: List[Any]) -> str:
    for value in inputs:
        if device_of(value) != "cpu" and value.dim():
            return device_of(value)
    if call.module is not None:
        for value in parameters(call.module):
            return device_of(value)
    return next((device_of(value) for value in inputs if device_of(value) != "cpu"), "cpu")


def _keep_unflattened(call: Call, inputs: List[Any], value: Any) -> None:
    if not inputs or not value.dim():
        return
    before = inputs[0]
    if call.short in ("flatten", "view", "reshape", "Flatten") and before.dim() > value.dim():
        kept: List[Any] = []
        product: Any = 1
        for size in reversed(before.shape):
            kept.insert(0, size)
            product = product * size
            if expression_of(product) == expression_of(value.shape[-1]):
                value.handbook_unflattened = kept
                return
    elif hasattr(before, "handbook_unflattened") and list(map(expression_of, before.shape)) == list(
        map(expression_of, value.shape)
    ):
        value.handbook_unflattened = before.handbook_unflattened


def raised(call: Call, error: BaseException) -> Any:
    """What to go on with after an operation raised; a certain failure is written down."""
    trace = call.frame.session.trace
    if not watch_error(call):
        with contextlib.suppress(Exception):
            unify(call)
    failure = _failure(call, error)
    if failure is None:
        with contextlib.suppress(Exception):
            assume(call)
        call.frame.session.wants_plain |= bool(call.frame.session.defaults)
        trace.gap(span_of(call.node), f"{call.name or 'a call'}: {_first_line(error)}", call.frame.source.path)
    elif not trace.expected and (not trace.branches or "keyword" in failure.details):
        trace.fail(failure, call.frame.source.path)
        elsewhere.tell(call, failure)
    if failure is not None and failure.reason in ("leaf", "view", "backward-twice", "no-grad-fn"):
        return call.argument(0, "input", UNKNOWN)
    result = unknown_result(call)
    return loose(result) if failure is not None and call.module is None else result


def _failure(call: Call, error: BaseException) -> Optional[Failure]:
    if isinstance(error, UnknownValue) or not isinstance(error, RAISED) or not call.name:
        return None
    text = _first_line(error)
    if UNEXPECTED in text:  # a name that is not known refuses the call, whatever its values are
        keyword = written(call, text)
        return _made(call, "argument", error, told(call, keyword)) if keyword else None
    if unknown_in([call.args, call.kwargs]) is not None:
        return None
    if not call.tensors() and (call.name.split(".")[:2] != ["torch", "nn"] or call.name.startswith("torch.nn.utils.")):
        return None  # an empty list that other code would have filled, a number that was not known
    if any(sign in text for sign in ("Unknown", "torch_handbook", " missing ")):
        return None  # an argument that was not known here, or that came with `*arguments`
    vague = {is_loose(value) for value in call.tensors()}
    if "shape" in vague:
        return _sure_of_one_axis(call, error)
    if NO_SCALAR in text:
        return _no_scalar(call, error)
    for sign, reason in CERTAIN:
        if sign in text and (reason != "no-grad-fn" or "dtype" not in vague):
            return _made(call, reason, error, {})
    explanation = explain(call)
    if "dtype" in vague and (explanation is None or explanation[0] != "shape"):
        return None
    if explanation is not None and is_decided(explanation[1]):
        call.frame.session.trace.decided.add(span_of(call.node))
    if explanation is not None and any(is_free(size) for value in call.tensors() for size in value.shape):
        return _made(call, explanation[0], error, explanation[1])
    return _confirmed(call, explanation)


def _no_scalar(call: Call, error: BaseException) -> Optional[Failure]:
    """Backward from several numbers; a free size may be 1."""
    several = any((fixed(size) or 0) > 1 for value in call.tensors()[:1] for size in value.shape)
    return _made(call, "argument", error, {}) if several else None


def _sure_of_one_axis(call: Call, error: BaseException) -> Optional[Failure]:
    """A layer that does not fit the layer before it: that holds for any input, also for one that was guessed."""
    given, module = call.argument(0, "input"), call.module
    wanted = -1 if isinstance(module, nn.Linear) else -len(module.kernel_size) - 1 if isinstance(module, CONVOLUTIONS) else None
    if wanted is None or sure_axis(given) != wanted:
        return None
    explanation = explain(call)
    return _made(call, explanation[0], error, explanation[1]) if explanation is not None and explanation[0] == "shape" else None


def _confirmed(call: Call, explanation: Optional[Explanation]) -> Optional[Failure]:
    try:
        error = refusal(call.callee, call.args, call.kwargs)
    except Exception:
        return None
    if error is None or not isinstance(error, RAISED):
        return None
    reason, details = explanation or (_reason(error), {})
    return _made(call, reason, error, details)


def _made(call: Call, reason: str, error: BaseException, details: Dict[str, Any]) -> Failure:
    kind = "RuntimeError" if not isinstance(error, RAISED) else type(error).__name__
    text = call.frame.session.sizes.renamed(_first_line(error))
    return Failure(span_of(call.node), reason, call.name, kind, text, operands_of(call), details)


def _first_line(error: BaseException) -> str:
    return (str(error).strip().split("\n") or [""])[0][:300]


def _reason(error: BaseException) -> str:
    text = str(error)
    if "more than one element of the written-to tensor" in text:
        return "view"
    if isinstance(error, TypeError):
        return "argument"
    if any(sign in text for sign in OF_DTYPES):
        return "dtype"
    if (
        isinstance(error, RuntimeError)
        or "size" in text
        or "shape" in text
        or "dimension" in text.lower()
        or isinstance(error, IndexError)
    ):
        return "shape"
    return "argument"


def unknown_result(call: Call) -> Any:
    """The result of an operation on something unknown."""
    given = call.argument(0, "input")
    if isinstance(given, Hole):
        if call.short in SAME or (call.name in ("+", "-", "*", "/") and not isinstance(call.args[-1], (torch.Tensor, Hole))):
            return given
        if call.module is not None:
            fill_by_layer(given, call.module)
        elif call.short in BESIDE_WEIGHTS or call.name == "@":
            fill_by_weight(given, call.short or call.name, call.argument(1, BESIDE_WEIGHTS.get(call.short, "other"), None))
    result = promise(call)
    if isinstance(result, Unknown) and call.module is not None and type(given) is Unknown:
        result = _on_anything(call)
    return settle(call, result) if not isinstance(result, Unknown) else result


def _on_anything(call: Call) -> Any:
    """What a layer gives for an input of which nothing is known, where the layer itself says what it takes."""
    assert call.module is not None
    found = input_of(call.module)
    if found is None or not found[2]:
        return UNKNOWN
    sizes, own = call.frame.session.sizes, call.module.__dict__
    again = own.get("handbook_round") == call.frame.session.rounds  # in one call of the network its input may be another one
    if again or "handbook_axes" not in own:
        own["handbook_axes"] = [sizes.free(axis, born=0) if isinstance(axis, str) else axis for axis in found[0]]
    own["handbook_round"] = call.frame.session.rounds
    try:
        given = torch.empty(own["handbook_axes"], dtype=found[1])
        put_on(given, _device(call, []))
        _note_argument(call, given)
        made = dataclasses.replace(call, args=[given, *call.args[1:]])
        return loose(recurrent.run(made) if isinstance(call.callee, nn.RNNBase) else call.callee(*made.args, **made.kwargs))
    except Exception:
        return UNKNOWN


def _note_argument(call: Call, given: Any) -> None:
    """Write down what a layer must be given at the expression that gives it, where the layer is called by itself."""
    node = call.node
    if isinstance(node, ast.Call) and node.args and any(one is node.func for one, _ in call.operands):
        call.frame.session.note(call.frame, node.args[0], given)


def untold(call: Call, result: Any) -> Any:
    """A result in whose sizes torch took what stands for a free size for a plain number: those are free."""
    if not isinstance(result, torch.Tensor):
        return result
    tensors = [*call.tensors(), *(parameters(call.module) if call.module is not None else ())]
    plain = {fixed(size) for value in tensors for size in value.shape}
    plain |= {value for value in each([call.args, call.kwargs]) if isinstance(value, int)}
    known = {expression_of(size) for value in tensors for size in value.shape}
    given = any(isinstance(value, SYMBOLIC) for value in each([call.args, call.kwargs]))  # torch computed with what stands for it
    doubtful = [
        given and expression_of(size) not in known if is_free(size) else fixed(size) > 1 and fixed(size) not in plain
        for size in result.shape
    ]
    if not any(doubtful):
        return result
    free = call.frame.session.sizes.free
    return loose(like(result, [free("n") if odd else size for odd, size in zip(doubtful, result.shape)]))


def is_torch_module(value: Any) -> bool:
    """Whether it is one of torch's own modules."""
    return isinstance(value, nn.Module) and type(value).__module__.startswith("torch.")
