"""`value[key]`, read and written, where the value or the key may be unknown."""

from __future__ import annotations

import ast
from typing import Any, List, Optional, Tuple

import torch
from torch import nn

from torch_handbook_worker.protocol import Failure
from torch_handbook_worker.tensors import arrays, attributes
from torch_handbook_worker.tensors.arrays import Array
from torch_handbook_worker.tensors.autograd import Operation
from torch_handbook_worker.tensors.bounds import ITEMS, SIZED, is_heavy
from torch_handbook_worker.tensors.holes import Hole
from torch_handbook_worker.tensors.kernel_dtypes import dtype_refusal
from torch_handbook_worker.tensors.operation import Call, operands_of
from torch_handbook_worker.tensors.outcome import raised, settle
from torch_handbook_worker.tensors.promises import loose
from torch_handbook_worker.tensors.scopes import Frame
from torch_handbook_worker.tensors.sizes import SYMBOLIC, fixed
from torch_handbook_worker.tensors.trace import span_of
from torch_handbook_worker.tensors.values import UNKNOWN, Stream, Unknown, unknown_in
from torch_handbook_worker.tensors.windows import span_between


def read(frame: Frame, node: Any, value: Any, key: Any) -> Any:
    """`value[key]`."""
    with frame.session.trace.at(frame.source.path, node):
        if isinstance(value, torch.Tensor):
            return _tensor(frame, node, value, key)
        if isinstance(value, Array):
            return _array(frame, node, value, key)
        if isinstance(value, Hole) and isinstance(key, (str, int)):
            return value.part(key, frame.session.sizes)
        if isinstance(value, (Unknown, Stream)):
            if value.item is None or isinstance(key, slice):
                return Unknown("int") if getattr(value, "name", "") == "shape" and not isinstance(key, slice) else UNKNOWN
            return value.item()
        return _plain(frame, node, value, key)


def _plain(frame: Frame, node: Any, value: Any, key: Any) -> Any:
    if frame.session.journal.is_blurred(value):
        return UNKNOWN
    if isinstance(key, Unknown):
        same = isinstance(value, (list, tuple, range, nn.ModuleList)) and len(value) and key.kind in ("int", "number")
        return value[0] if same and (isinstance(value, range) or len(value) == 1) else UNKNOWN
    if isinstance(key, slice) and unknown_in([key.start, key.stop, key.step]) is not None:
        return UNKNOWN
    if isinstance(key, SYMBOLIC) or unknown_in(key) is not None:
        return UNKNOWN
    try:
        return value[key]
    except Exception as error:
        frame.session.trace.gap(span_of(node), f"{type(error).__name__}: {error}", frame.source.path)
        return UNKNOWN


def _array(frame: Frame, node: Any, value: Any, key: Any) -> Any:
    """Of an array, an axis that is cut at an unknown place is free, too."""
    parts = key if isinstance(key, tuple) else (key,)
    ends = [end for part in parts if isinstance(part, slice) for end in (part.start, part.stop, part.step)]
    plain = definite(key) if any(isinstance(end, (Unknown, torch.Tensor)) for end in ends) else None
    if plain is None:
        return arrays.indexed(value, key)
    result = _free(frame, node, plain[0], value.tensor[plain[0]], plain[1])
    return UNKNOWN if result is UNKNOWN else value.with_tensor(result)


def _tensor(frame: Frame, node: Any, value: Any, key: Any) -> Any:
    plain = definite(key)
    if plain is None:
        return UNKNOWN
    known, blurred = plain
    made = Call(frame, node, torch.Tensor.__getitem__, "torch.Tensor.__getitem__", [value, known], {}, [(node.value, value)])
    with frame.session.graph.executing(Operation("indexing", made.tensors())):
        try:
            result = value[known]
        except Exception as error:
            return raised(made, error)
    result = settle(made, result)
    return _free(frame, node, known, result, blurred) if blurred else result


def definite(key: Any) -> Optional[Tuple[Any, List[int]]]:
    """The key with known numbers in place of unknown ones, and the positions of slices whose bounds were unknown."""
    parts = key if isinstance(key, tuple) else (key,)
    known: List[Any] = []
    blurred: List[int] = []
    for position, part in enumerate(parts):
        if isinstance(part, Unknown):
            if part.kind not in ("int", "number"):
                return None
            known.append(0)
        elif isinstance(part, slice):
            bounds = [part.start, part.stop, part.step]
            # A tensor without data gives any number as its place.
            if unknown_in(bounds) is not None or any(isinstance(bound, torch.Tensor) for bound in bounds):
                blurred.append(position)
                known.append(slice(None))
            else:
                known.append(part)
        elif unknown_in(part) is not None or isinstance(part, Stream):
            return None
        else:
            known.append(part)
    return (tuple(known) if isinstance(key, tuple) else known[0]), blurred


def _free(frame: Frame, node: Any, key: Any, result: Any, blurred: List[int]) -> Any:
    """The result with a free size on the axes that were cut at an unknown place."""
    parts = key if isinstance(key, tuple) else (key,)
    sizes = [*result.shape]
    if any(part is Ellipsis or isinstance(part, (torch.Tensor, list)) for part in parts):
        return UNKNOWN
    for position in blurred:
        axis = sum(1 for part in parts[:position] if part is None or isinstance(part, slice))
        sizes[axis] = frame.session.sizes.free("n")
        written = node.slice.elts[position] if isinstance(node.slice, ast.Tuple) else node.slice
        between = span_between(written)
        length = None if between is None else frame.session.sizes.number(_value(frame, between))
        if isinstance(length, (int, torch.SymInt)) and isinstance(sizes[axis], torch.SymInt):
            frame.session.sizes.pieces[sizes[axis].node.expr] = length
    made = result.new_empty(sizes)
    return loose(made.requires_grad_() * 1 if result.requires_grad and torch.is_grad_enabled() else made)


def _value(frame: Frame, node: Any) -> Any:
    """The value of a number that is written, of a name, or of an attribute of one."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return frame.get(node.id)
    return attributes.read(frame, node, _value(frame, node.value), node.attr) if isinstance(node, ast.Attribute) else UNKNOWN


def write(frame: Frame, node: Any, target: Any, value: Any, key: Any, assigned: Any) -> None:
    """`value[key] = assigned`; `node` is the statement, `target` the subscript."""
    if isinstance(value, torch.Tensor):
        return _write_tensor(frame, node, target, value, key, assigned)
    if isinstance(value, (Unknown, Stream)):
        return None
    frame.session.journal.content(value)
    if isinstance(key, (Unknown, *SYMBOLIC)) or unknown_in(key) is not None:
        if isinstance(value, (list, dict)):
            frame.session.journal.lose(value)
        return None
    if is_heavy(key) or (isinstance(value, list) and isinstance(assigned, SIZED) and len(value) + len(assigned) > ITEMS):
        frame.session.journal.lose(value)
        return None
    try:
        value[key] = assigned
    except Exception as error:
        frame.session.trace.gap(span_of(node), f"{type(error).__name__}: {error}", frame.source.path)
    return None


def _write_tensor(frame: Frame, node: Any, target: Any, value: Any, key: Any, assigned: Any) -> None:
    plain = definite(key)
    if plain is None or plain[1] or isinstance(assigned, (Unknown, Stream)) or unknown_in(assigned) is not None:
        _touch(value)
        return
    known = plain[0]
    made = Call(
        frame, node, torch.Tensor.__setitem__, "torch.Tensor.__setitem__", [value, known, assigned], {}, [(target.value, value)]
    )
    made.operands.append((getattr(node, "value", target), assigned))
    with frame.session.graph.executing(Operation("index assignment", made.tensors())):
        try:
            value[known] = assigned
        except Exception as error:
            raised(made, error)
            return
    unlike = dtype_refusal(made)
    if unlike is not None:
        raised(made, RuntimeError(unlike.text))
    _check_expanded(made, value)


def _touch(value: Any) -> None:
    """Something of the tensor changes, it is not known what."""
    if not (value.requires_grad and value.is_leaf):
        with torch.no_grad():
            value.add_(0) if not value.dtype.is_floating_point else value.mul_(1)


def _check_expanded(made: Call, value: Any) -> None:
    """A write to an expanded tensor changes every place that shares the memory, without a word."""
    axes = [
        axis
        for axis, (size, stride) in enumerate(zip(value.shape, value.stride()))
        if fixed(stride) == 0 and (fixed(size) or 0) > 1
    ]
    trace = made.frame.session.trace
    if not axes or trace.branches or trace.expected:
        return
    sizes = [made.frame.session.sizes.show(size) for size in value.shape]
    details = {"expanded": axes, "shape": sizes, "raises": False}
    text = "several elements of the expanded tensor share one place in memory: all of them are written"
    trace.fail(Failure(span_of(made.node), "view", made.name, "", text, operands_of(made), details), made.frame.source.path)
