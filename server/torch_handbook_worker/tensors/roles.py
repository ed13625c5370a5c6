"""Which axis is the batch and which the time: layers, loaders, names and indexes say so, and may contradict each other."""

from __future__ import annotations

import ast
import re
from typing import Any, List

import torch
from torch import nn

from torch_handbook_worker.tensors.axes import Claim, axes_of, carry, has_axes
from torch_handbook_worker.tensors.operation import Call, constructor_of, layer_text, source_of
from torch_handbook_worker.tensors.remarks import is_certain, is_one, remark, shown
from torch_handbook_worker.tensors.scopes import Frame
from torch_handbook_worker.tensors.sizes import fixed
from torch_handbook_worker.tensors.trace import span_of
from torch_handbook_worker.tensors.values import words

BATCH = re.compile(r"(?:b|bs|bsz|batch|batch_?size|n_?batch(?:es)?|B)$")
TIME = re.compile(
    r"(?:t|l|T|L|s|S|seq|seq_?len(?:gth)?|sequence_length|seqlen|time|time_?steps|steps|length|n_?tokens|src_len|tgt_len)$"
)
ATTENTION = (nn.MultiheadAttention, nn.TransformerEncoderLayer, nn.TransformerDecoderLayer, nn.TransformerEncoder,
             nn.TransformerDecoder, nn.Transformer)  # fmt: skip
CHANNELS = (nn.modules.conv._ConvNd, nn.modules.batchnorm._BatchNorm)
TURNING = words("transpose permute swapaxes swapdims t movedim moveaxis")
POOLS = words("mean max sum amax")
KINDS = {
    "rnn": "rnn-batch-first-mismatch", "attention": "attention-batch-first-mismatch", "positions": "positional-encoding-axis",
}  # fmt: skip


def watch(call: Call, inputs: List[Any], made: List[Any]) -> None:
    """Look at an operation: what it says of the axes that go in, and which of them come out."""
    _of_output(call, inputs, made)
    if call.module is not None and inputs and inputs[0] is call.argument(0, "input", call.kwargs.get("query")):
        _of_layer(call, inputs[0])
    if call.short in ("+", "add"):
        _of_positions(call, inputs)
    if call.short in TURNING and inputs and made:
        axes_of(inputs[0])
    carry(call, inputs, made)
    if call.short in TURNING:
        for value in made:
            axes_of(value)[0].moved = True
    if call.short == "arange":
        for value in made:
            value.handbook_positions = True
    elif call.short in ("Embedding", "embedding", "unsqueeze", "expand", "to", "repeat"):
        for value in made:
            value.handbook_positions = any(getattr(row, "handbook_positions", False) for row in inputs)


def _of_layer(call: Call, given: Any) -> None:
    module = call.module
    if isinstance(module, CHANNELS):
        if given.dim() > 2 and is_certain(given) and given.dim() == _rank(module, given):
            claim(call, given, 0, Claim("batch", "layer", layer_text(call, module)))
        return
    kind = "rnn" if isinstance(module, nn.RNNBase) else "attention" if isinstance(module, ATTENTION) else ""
    if not kind or given.dim() != 3 or not is_certain(given):
        return
    first, text = is_batch_first(module), layer_text(call, module)
    span = constructor_of(_layer(module), call.frame.session.trace.path)
    source = "batch_first" if first else kind
    claim(call, given, 0, Claim("batch" if first else "time", source, text, span, call, module))
    claim(call, given, 1, Claim("time" if first else "batch", source, text, span, call, module))
    if kind == "attention" and not first:
        _weakly(call, given, span)


def _weakly(call: Call, given: Any, span: Any) -> None:
    """A few long rows are more likely a batch of sequences than short sequences of a large batch: no more than a hint."""
    batch, time = fixed(given.shape[0]), fixed(given.shape[1])
    told = any(row.source != "attention" for axis in axes_of(given)[:2] for row in axis.claims)
    if batch and time and 1 < batch <= 8 and time >= 2 * batch and not told and not axes_of(given)[0].moved:
        details = {"layer": layer_text(call, call.module), "input": shown(call, given), "weak": True}
        remark(call, KINDS["attention"], details, span)


def _rank(module: Any, given: Any) -> int:
    kernel = getattr(module, "kernel_size", None)
    if isinstance(kernel, tuple):
        return len(kernel) + 2
    return {"BatchNorm1d": 3, "BatchNorm2d": 4, "BatchNorm3d": 5}.get(type(module).__name__) or int(given.dim())


def is_batch_first(module: Any) -> bool:
    """Whether a layer takes the batch on its first axis."""
    module = _layer(module)
    return bool(getattr(getattr(module, "self_attn", module), "batch_first", False))


def _layer(module: Any) -> Any:
    """The layer that an encoder or decoder repeats: it is the one that is told how its input lies."""
    layers: Any = module.layers if isinstance(module, (nn.TransformerEncoder, nn.TransformerDecoder)) else ()
    return layers[0] if len(layers) else module


def _of_output(call: Call, inputs: List[Any], made: List[Any]) -> None:
    """What is read of the output of a layer: `out[:, -1]` is the last step of each sample, `out.mean(1)` the mean over time."""
    if not inputs or inputs[0].dim() != 3 or not has_axes(inputs[0]):
        return
    given, place = inputs[0], None
    if call.short == "__getitem__":
        key = call.args[-1] if isinstance(call.args[-1], tuple) else (call.args[-1],)
        layer = _layer_of(given, 1)
        wanted = (-1,) if layer == "rnn" else (-1, 0) if call.frame.name == "forward" else ()
        if len(key) > 1 and isinstance(key[0], slice) and type(key[1]) is int and key[1] in wanted:
            place = 1
        elif len(key) == 1 and type(key[0]) is int and key[0] == -1 and _is_output_of_rnn(given):
            place = 0
    elif call.short in POOLS and call.argument(1, "dim") == 1 and call.frame.name == "forward":
        place = 1
    if place is not None:
        claim(call, given, place, Claim("time", "step", source_of(call.frame, call.node), span_of(call.node), call))


def _layer_of(tensor: Any, axis: int) -> str:
    return next((row.source for row in axes_of(tensor)[axis].claims if row.source in ("rnn", "attention")), "")


def _is_output_of_rnn(tensor: Any) -> bool:
    """Whether the first axis is the batch because a recurrent layer says so; a single sample may be read as it likes."""
    rows = axes_of(tensor)[0].claims
    return not is_one(tensor.shape[0]) and any(isinstance(row.module, nn.RNNBase) and row.source == "batch_first" for row in rows)


def _of_positions(call: Call, inputs: List[Any]) -> None:
    """`x + self.pe[:n]`: positions run along the axis of `x` that they differ on."""
    if len(inputs) != 2 or len(call.operands) != 2 or not all(map(is_certain, inputs)):
        return
    for (_, given), (node, codes) in (call.operands, list(reversed(call.operands))):
        if given.dim() != 3 or not _are_positions(node, codes):
            continue
        place = None
        if codes.dim() == 3 and is_one(codes.shape[0]) != is_one(codes.shape[1]):
            place = 1 if is_one(codes.shape[0]) else 0 if isinstance(node, ast.Subscript) else None
        elif codes.dim() == 2 and not is_one(codes.shape[0]):
            place = 1
        if place is not None and not is_one(given.shape[place]):
            text = source_of(call.frame, node)
            claim(call, given, place, Claim("time", "positions", text, span_of(call.node), call))


def _are_positions(node: Any, value: Any) -> bool:
    if getattr(value, "handbook_positions", False) or isinstance(value, nn.Parameter):
        return True
    return isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and not value.requires_grad


def claim(call: Call, tensor: Any, place: int, made: Claim) -> None:
    """Say what an axis is; where somebody else said otherwise, one of the two is wrong."""
    axis = axes_of(tensor)[place]
    for other in axis.claims:
        if other.role != made.role:
            _contradiction(tensor, place, other, made)
    if all((row.source, row.text) != (made.source, made.text) for row in axis.claims):
        axis.claims.append(made)


def _contradiction(tensor: Any, place: int, one: Claim, other: Claim) -> None:
    """Tell of the one that is wrong: a layer that was left at its default, or the positions, or what is read of the output."""
    for wrong, right in ((one, other), (other, one)):
        if wrong.source in ("rnn", "attention"):
            return _tell(wrong.source, tensor, place, wrong, right)
    for wrong, right in ((one, other), (other, one)):
        if wrong.source == "positions" and right.role == "batch":
            return _tell("positions", tensor, place, wrong, right)
        if wrong.source == "step" and right.source == "batch_first" and isinstance(right.module, nn.RNNBase):
            return _tell("rnn", tensor, place, wrong, right)
    return None


def _tell(source: str, tensor: Any, place: int, wrong: Claim, right: Claim) -> None:
    assert wrong.call is not None
    given = wrong.call.tensors()[0] if wrong.module is not None else tensor
    details = {
        "layer": wrong.text, "input": shown(wrong.call, given), "axis": place, "other": right.text, "source": right.source,
        "other_at": None if right.span is None else list(right.span), "role": right.role, "wrong": wrong.source,
    }  # fmt: skip
    remark(wrong.call, KINDS[source], details, wrong.span)


def read_names(frame: Frame, statement: ast.Assign) -> None:
    """`b, t, c = x.shape`, `batch_size = x.size(0)`: the names say what the axes are."""
    target, value, first = statement.targets[0], statement.value, 0
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "size":
        source, index = value.func.value, value.args[0] if value.args else None
    elif isinstance(value, ast.Subscript) and isinstance(value.value, ast.Attribute) and value.value.attr == "shape":
        source, index = value.value.value, value.slice
    elif isinstance(value, ast.Attribute) and value.attr == "shape":
        source, index = value.value, None
    else:
        return
    tensor = frame.get(source.id) if isinstance(source, ast.Name) else None
    if not isinstance(tensor, torch.Tensor) or tensor.dim() < 3:
        return
    if isinstance(index, ast.Constant) and isinstance(index.value, int) and index.value in (0, 1):
        first, index = index.value, None
    elif isinstance(index, ast.Slice) and index.lower is None and index.step is None:
        index = None
    if index is not None:
        return
    targets = target.elts if isinstance(target, ast.Tuple) else [target] if isinstance(target, ast.Name) else []
    call = Call(frame, statement, None, "shape")
    for place, row in enumerate(targets[:2], first):
        name = row.id if isinstance(row, ast.Name) else ""
        role = "batch" if BATCH.match(name) else "time" if TIME.match(name) else ""
        if role and (isinstance(target, ast.Tuple) or isinstance(value, (ast.Call, ast.Subscript))):
            claim(call, tensor, place, Claim(role, "name", name, span_of(statement)))


def claim_batch(tensor: Any, loader: Any, is_last_single: bool) -> None:
    """A batch of a loader has its samples along the first axis."""
    first = axes_of(tensor)[0]
    first.claims.append(Claim("batch", "loader", "the loader"))
    first.loader = loader if is_last_single else None
