"""Inputs that nobody gives: a parameter of `forward` is a hole until the code says what fits into it.

The first layer that takes a hole, or `B, C, H, W = x.shape`, tells its sizes; the walk then starts again with a tensor in it.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Tuple

import torch
from torch import nn

from torch_handbook_worker.tensors.sizes import Sizes, divided, fixed
from torch_handbook_worker.tensors.values import Unknown, words

# An axis: a number, a size that exists already, or the name of a free one.
Axes = List[Any]


class Hole(Unknown):
    """An input of which nothing is known yet."""

    def __init__(self, name: str) -> None:
        super().__init__("", name)
        self.axes: Optional[Axes] = None
        self.named: Dict[str, Any] = {}
        self.dtype: Any = torch.float32
        self.tensor: Any = None  # what stands for it in the present walk
        self.typed = False  # whether the dtype was found too
        self.vague = False  # whether only a comment or a docstring tells
        self.placed = False  # whether a layer called its axes by their places alone
        self.ranked = True  # whether the number of axes is certain
        self.filled: Axes = []  # the axes as they were found, before the code that uses them said more of them
        self.span: Any = None  # where the parameter stands, if that is in the file that is looked at
        self.parts: Dict[Any, Hole] = {}  # of an input that holds several tensors: those that the code asks for

    def part(self, key: Any, sizes: Sizes) -> Any:
        """What the input holds under a key: a hole of its own, or what fits into it."""
        found = self.parts.get(key)
        if found is None:
            found = self.parts[key] = Hole(str(key) if isinstance(key, str) else f"{self.name}{key}")
            if any(active is self for active in ACTIVE):
                ACTIVE.append(found)
        if found.axes is not None and found.tensor is None:
            tensor_for(found, sizes, self.named)
        return found if found.tensor is None else found.tensor

    def again(self, named: Dict[str, Any]) -> None:
        """A new walk begins."""
        self.named = named
        for row in self.parts.values():
            row.tensor = None
            row.again(named)

    @property
    def shape(self) -> HoleShape:
        return HoleShape(self)

    def size(self, *axis: Any) -> Any:
        return Unknown("int") if axis else HoleShape(self)

    def dim(self) -> Any:
        return Unknown("int")

    @property
    def ndim(self) -> Any:
        return Unknown("int")


class Scaled(Hole):
    """`x / 255`: what fits into it fits into the input. As a number it is another one."""

    def __init__(self, hole: Hole) -> None:
        super().__init__("n")
        self.source: Hole = hole.source if isinstance(hole, Scaled) else hole

    def part(self, key: Any, sizes: Sizes) -> Any:
        return Unknown()


class HoleMember(Unknown):
    """A method of an input that may be a tensor; anything else where it is none, as in `args.dropout` and `config.dim`."""

    def __init__(self, name: str, give: Callable[..., Any]) -> None:
        super().__init__("", name)
        self.give = give  # what a call of it gives


class HoleShape(Unknown):
    """The shape of a hole: unpacking it says how many axes there are, and what they are called."""

    def __init__(self, hole: Hole) -> None:
        super().__init__("", "shape")
        self.hole = hole

    def __getitem__(self, key: Any) -> Any:
        return Unknown() if isinstance(key, slice) else Unknown("int")


class Filled(BaseException):
    """A hole's sizes were found: start again. Not an Exception, so that nothing on the way catches it."""

    def __init__(self, hole: Hole) -> None:
        super().__init__(hole.name)
        self.hole = hole


class Misfit(BaseException):
    """An input has as many axes as it was given at first, and not one more: code takes its shape apart."""


ACTIVE: List[Hole] = []  # the holes of the walk that is going on


def fill(hole: Hole, axes: Axes, dtype: Any = None, ranked: bool = True) -> None:
    """Say what fits into a hole; nothing happens where it belongs to a walk that is over."""
    hole = hole.source if isinstance(hole, Scaled) else hole
    if not any(active is hole for active in ACTIVE):
        return
    hole.axes, hole.ranked, hole.filled = axes, ranked, list(axes)
    if dtype is not None:
        hole.dtype, hole.typed = dtype, True
    raise Filled(hole)


OWN = words("H W D L T S")  # what the axes behind the first are called by their place alone: of two inputs they may differ


def tensor_for(hole: Hole, sizes: Sizes, named: Dict[str, Any]) -> Any:
    """A new tensor for a filled hole; `named` keeps the free sizes by name, so that two holes share their batch."""
    made: List[Any] = []
    assert hole.axes is not None
    for place, axis in enumerate(hole.axes):
        if isinstance(axis, str):
            if not axis or axis not in named or (place and hole.placed and axis in OWN):  # an axis without a name is no other one
                named[axis] = sizes.free(axis or "n", born=0)
            axis = named[axis]
            hole.axes[place] = axis
        made.append(axis)
    tensor: Any = torch.empty(made, dtype=hole.dtype)
    hole.tensor = tensor
    if not hole.typed or hole.vague:
        tensor.handbook_loose = "shape" if hole.vague else "dtype"  # only its sizes were found
    return tensor


AXES = {2: "ND", 3: "NTC", 4: "NCHW", 5: "NCDHW"}


def fill_by_callers(holes: Dict[str, Hole], inputs: Dict[str, Any]) -> None:
    """Say what other files give; an axis on which they differ is free."""
    for name, (sizes, dtype) in inputs.items():
        hole = holes.get(name)
        if hole is not None and hole.axes is None:
            letters = AXES.get(len(sizes), "NABCDEFGHIJKL")
            hole.axes = [letters[place] if size is None else size for place, size in enumerate(sizes)]
            hole.dtype, hole.typed = dtype, True


def _images(spatial: int) -> List[str]:
    return {1: ["L"], 2: ["H", "W"], 3: ["D", "H", "W"]}[spatial]


def _conv(module: Any) -> Tuple[Axes, Any, bool]:
    return ["N", module.in_channels, *_images(len(module.kernel_size))], module.weight.dtype, True


def _linear(module: Any) -> Tuple[Axes, Any, bool]:
    return ["N", module.in_features], module.weight.dtype, False


def _embedding(module: Any) -> Tuple[Axes, Any, bool]:
    return ["N", "T"], torch.int64, False


def _rnn(module: Any) -> Tuple[Axes, Any, bool]:
    axes = ["N", "T", module.input_size] if module.batch_first else ["T", "N", module.input_size]
    return axes, torch.float32, True


def _rnn_cell(module: Any) -> Tuple[Axes, Any, bool]:
    return ["N", module.input_size], torch.float32, True


def _batch_norm(module: Any) -> Tuple[Axes, Any, bool]:
    spatial = int(type(module).__name__[-2]) if type(module).__name__[-2].isdigit() else 2
    return ["N", module.num_features, *(_images(spatial) if spatial > 1 else [])], torch.float32, spatial > 1


def _layer_norm(module: Any) -> Tuple[Axes, Any, bool]:
    wanted = list(module.normalized_shape)
    return ["N", *(["T"] if len(wanted) == 1 else []), *wanted], torch.float32, False


def _attention(module: Any) -> Tuple[Axes, Any, bool]:
    first: Any = getattr(module, "self_attn", module)
    if isinstance(module, nn.TransformerEncoder):
        layers: Any = module.layers
        first = layers[0].self_attn
    return (["N", "T", first.embed_dim] if first.batch_first else ["T", "N", first.embed_dim]), torch.float32, True


def _pool(module: Any) -> Tuple[Axes, Any, bool]:
    return ["N", "C", *_images(int(type(module).__name__[-2]))], torch.float32, True


KINDS: List[Tuple[Any, Callable[[Any], Tuple[Axes, Any, bool]]]] = [
    (nn.modules.conv._ConvNd, _conv),
    (nn.Linear, _linear),
    ((nn.Embedding,), _embedding),
    (nn.RNNBase, _rnn),
    (nn.modules.rnn.RNNCellBase, _rnn_cell),
    (nn.modules.batchnorm._BatchNorm, _batch_norm),
    (nn.LayerNorm, _layer_norm),
    ((nn.MultiheadAttention, nn.TransformerEncoderLayer, nn.TransformerEncoder), _attention),
    (
        (nn.MaxPool1d, nn.MaxPool2d, nn.MaxPool3d, nn.AvgPool1d, nn.AvgPool2d, nn.AvgPool3d, nn.AdaptiveAvgPool1d,
         nn.AdaptiveAvgPool2d, nn.AdaptiveMaxPool2d), _pool,
    ),
]  # fmt: skip


def input_of(module: Any) -> Optional[Tuple[Axes, Any, bool]]:
    """The axes, the dtype, and whether their number is certain, of what a layer takes; None where it takes anything."""
    for kind, function in KINDS:
        if isinstance(module, kind):
            try:
                return function(module)
            except (AttributeError, IndexError, KeyError, ValueError):
                return None
    return None


def fill_by_layer(hole: Hole, module: Any) -> None:
    """Fill a hole with what the layer takes, if it tells."""
    found = input_of(module)
    if found is not None:
        hole.placed = True
        fill(hole, *found)


def fill_by_weight(hole: Hole, name: str, weight: Any) -> None:
    """Fill a hole with what a function takes beside a weight: `torch.mm(x, self.weight)`, `F.linear(x, self.weight)`."""
    own = isinstance(weight, nn.Parameter)
    if name == "mm" and own and weight.dim() == 2:
        fill(hole, ["N", weight.shape[0]], weight.dtype)
    elif name in ("matmul", "@") and own and weight.dim() == 2:
        fill(hole, ["N", weight.shape[0]], weight.dtype, False)
    elif name == "linear" and isinstance(weight, torch.Tensor) and weight.dim() == 2:
        fill(hole, ["N", weight.shape[1]], weight.dtype, False)


def pin(tensor: Any, axis: int, size: Any) -> None:
    """Say that a free axis of a filled hole has to be `size`, if the axis is the hole's own and still free."""
    found = owners(tensor.shape[axis], tensor)
    if found and isinstance(size, torch.SymInt) and tensor.shape[axis].node.expr in size.node.expr.free_symbols:
        return  # T is never T + 1
    if not found:
        found, size = _factor(tensor.shape[axis], size)
    for owner, place in found:
        assert owner.axes is not None
        owner.axes[place] = size
        raise Filled(owner)


def _factor(given: Any, wanted: Any) -> Tuple[List[Tuple[Hole, int]], Any]:
    """Where `given` is a multiple of one free axis of a hole: that axis, and what it has to be."""
    if fixed(given) is not None:
        return [], wanted
    for hole in ACTIVE:
        for place, axis in enumerate(hole.axes or []):
            if isinstance(axis, torch.SymInt) and axis.node.expr.is_Symbol:
                found = divided(wanted, given, axis)
                if found is not None:
                    return [(hole, place)], found
    return [], wanted


def pin_dtype(tensor: Any, dtype: Any) -> None:
    """Say that an input whose dtype was not found is of another one."""
    for hole in ACTIVE:
        if hole.tensor is tensor and not hole.typed:
            hole.dtype, hole.typed = dtype, True
            raise Filled(hole)


def owners(size: Any, tensor: Any) -> List[Tuple[Hole, int]]:
    """The holes and their axes that a free size is exactly."""
    text = str(size)
    if fixed(size) is not None:
        return []
    found: List[Tuple[Hole, int]] = []
    for hole in ACTIVE:
        for place, axis in enumerate(hole.axes or []):
            if isinstance(axis, torch.SymInt) and str(axis) == text:
                found.append((hole, place))
    return found
