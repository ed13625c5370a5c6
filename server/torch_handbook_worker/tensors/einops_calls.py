"""einops' rearrange, reduce and repeat, on tensors without data: the patterns are read here, the library is not needed."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Tuple

import torch
from torch import nn

from torch_handbook_worker.tensors.holes import Hole, fill
from torch_handbook_worker.tensors.sizes import fixed
from torch_handbook_worker.tensors.values import UNKNOWN, unknown_in

Groups = List[List[str]]


def groups_of(side: str) -> Groups:
    """The axes of one side of a pattern: "b (h p) c" is [[b], [h, p], [c]]."""
    parts = re.findall(r"\([^)]*\)|\S+", side)
    return [part.strip("()").split() for part in parts]


def _sides(pattern: str, rank: int) -> Tuple[Groups, Groups]:
    left, right = pattern.split("->")
    groups = groups_of(left)
    if "..." in left:
        spare = [f"…{place}" for place in range(rank - len(groups) + 1)]
        left, right = (side.replace("...", " ".join(spare)) for side in (left, right))
    return groups_of(left), groups_of(right)


def _sizes(shape: Any, groups: Groups, given: Dict[str, Any]) -> Dict[str, Any]:
    """The size of every axis on the left."""
    sizes = dict(given)
    for size, names in zip(shape, groups):
        missing = [name for name in names if name not in sizes and not name.isdigit()]
        known: Any = 1
        for name in names:
            known = known * (sizes.get(name, 1) if not name.isdigit() else int(name))
        for name in missing:
            sizes[name] = size if fixed(known) == 1 else size // known
    return sizes


def _product(names: List[str], sizes: Dict[str, Any]) -> Any:
    total: Any = 1
    for name in names:
        total = total * (int(name) if name.isdigit() else sizes[name])
    return total


def _axes(groups: Groups) -> List[str]:
    return [name for names in groups for name in names if not name.isdigit()]


def _known(tensor: Any, pattern: Any, given: Dict[str, Any]) -> bool:
    if isinstance(tensor, Hole) and isinstance(pattern, str):
        _fill(tensor, pattern, given)
    return isinstance(tensor, torch.Tensor) and isinstance(pattern, str) and unknown_in(given) is None


def _fill(hole: Hole, pattern: str, given: Dict[str, Any]) -> None:
    groups = groups_of(pattern.split("->")[0])
    if "..." not in pattern and all(groups) and not any(name.isdigit() for names in groups for name in names):
        fill(hole, [_axis(names, given) for names in groups])


def _axis(names: List[str], given: Dict[str, Any]) -> Any:
    """What an axis of an input is called: (h p) is H, of which h is only a part."""
    if len(names) > 1:
        return names[0].upper() if len(names[0]) == 1 else "_".join(names)
    return given.get(names[0], names[0])


def rearrange(tensor: Any, pattern: Any, **sizes: Any) -> Any:
    """einops.rearrange."""
    return reduce(_stacked(tensor), pattern, None, **sizes)


def _stacked(tensor: Any) -> Any:
    if isinstance(tensor, (list, tuple)) and len(tensor) and all(isinstance(item, torch.Tensor) for item in tensor):
        return torch.stack(list(tensor))
    return tensor


def reduce(tensor: Any, pattern: Any, reduction: Any, **given: Any) -> Any:
    """einops.reduce; without a reduction it is rearrange."""
    if not _known(tensor, pattern, given):
        return UNKNOWN
    left, right = _sides(pattern, tensor.dim())
    if len(left) != tensor.dim():
        return UNKNOWN
    sizes = _sizes(tensor.shape, left, given)
    names, kept = _axes(left), _axes(right)
    flat = tensor.reshape([sizes[name] for name in names])
    gone = [place for place, name in enumerate(names) if name not in kept]
    if gone:
        flat = flat.amax(gone) if reduction in ("max", "min") else flat.mean(gone)
        names = [name for name in names if name in kept]
    return flat.permute([names.index(name) for name in kept]).reshape([_product(group, sizes) for group in right])


def repeat(tensor: Any, pattern: Any, **given: Any) -> Any:
    """einops.repeat."""
    tensor = _stacked(tensor)
    if not _known(tensor, pattern, given):
        return UNKNOWN
    left, right = _sides(pattern, tensor.dim())
    sizes = _sizes(tensor.shape, left, given)
    names, wanted = _axes(left), _axes(right)
    flat = tensor.reshape([sizes[name] for name in names])
    flat = flat.permute([names.index(name) for name in wanted if name in names])
    for place, name in enumerate(wanted):
        if name not in names:
            flat = flat.unsqueeze(place)
    return flat.expand([sizes[name] for name in wanted]).reshape([_product(group, sizes) for group in right])


def pack(tensors: Any, pattern: Any) -> Any:
    """einops.pack: the axes in place of the star flattened, the tensors joined along them."""
    if not isinstance(tensors, (list, tuple)) or not isinstance(pattern, str) or not all(map(_is_tensor, tensors)):
        return UNKNOWN
    before = pattern.split().index("*")
    after = len(pattern.split()) - before - 1
    flat, shapes = [], []
    for tensor in tensors:
        sizes = list(tensor.shape)
        middle = sizes[before : len(sizes) - after]
        total: Any = 1
        for size in middle:
            total = total * size
        shapes.append(tuple(middle))
        flat.append(tensor.reshape([*sizes[:before], total, *sizes[len(sizes) - after :]]))
    return torch.cat(flat, before), shapes


def unpack(tensor: Any, shapes: Any, pattern: Any) -> Any:
    """einops.unpack: what `pack` joined, apart again."""
    if not _is_tensor(tensor) or not isinstance(pattern, str) or unknown_in(shapes) is not None:
        return UNKNOWN
    axis, start, made = pattern.split().index("*"), 0, []
    for middle in shapes:
        total: Any = 1
        for size in middle:
            total = total * size
        part = tensor.narrow(axis, start, total)
        sizes = list(part.shape)
        made.append(part.reshape([*sizes[:axis], *middle, *sizes[axis + 1 :]]))
        start = start + total
    return made


def _is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor)


class Rearrange(nn.Module):
    """einops' layer."""

    def __init__(self, pattern: Any, **sizes: Any) -> None:
        super().__init__()
        self.pattern, self.sizes = pattern, sizes

    def forward(self, tensor: Any) -> Any:
        return rearrange(tensor, self.pattern, **self.sizes)


class Reduce(nn.Module):
    """einops' reducing layer."""

    def __init__(self, pattern: Any, reduction: Any = "mean", **sizes: Any) -> None:
        super().__init__()
        self.pattern, self.reduction, self.sizes = pattern, reduction, sizes

    def forward(self, tensor: Any) -> Any:
        return reduce(tensor, self.pattern, self.reduction, **self.sizes)


MEMBERS: Dict[str, Any] = {value.__name__: value for value in (rearrange, reduce, repeat, pack, unpack, Rearrange, Reduce)}
