"""Views that give an axis another place: `view` only cuts memory anew, it moves no axis as `permute` does."""

from __future__ import annotations

import math
from typing import Any, List, Tuple

from torch_handbook_worker.tensors.operation import Call
from torch_handbook_worker.tensors.remarks import is_certain, remark, shown, text_of
from torch_handbook_worker.tensors.sizes import fixed, is_free, witness

VIEWS = frozenset({"view", "reshape"})
JOINS = frozenset({"cat", "concat", "concatenate", "pad", "repeat"})
SQUARE = 8  # pixels: less is an example of what view does
COLOURS = (3, 4)


def watch(call: Call, inputs: List[Any], made: List[Any]) -> None:
    """Look at a view; remember what was put together, which the shift of relative positions takes apart elsewhere."""
    if call.short in JOINS and len(made) == 1:
        made[0].handbook_joined = True
    if call.short not in VIEWS or len(made) != 1 or not inputs or not all(map(is_certain, (inputs[0], made[0]))):
        return
    if not _equal(list(inputs[0].shape), list(made[0].shape)):
        return  # it fits for some sizes only
    moved = moved_size(list(inputs[0].shape), list(made[0].shape))
    if moved is not None and not (hasattr(inputs[0], "handbook_joined") and _is_swap(inputs[0], made[0])):
        details = {"from": shown(call, inputs[0]), "to": shown(call, made[0]), "moved": call.frame.session.sizes.show(moved)}
        remark(call, "view-as-transpose", {**details, "text": text_of(call, inputs[0])})


def _is_swap(before: Any, after: Any) -> bool:
    """Whether two axes change places: (T, M + 1) with a column of zeros is viewed as (M + 1, T) to shift each row by one more."""
    one, other = _trimmed(list(before.shape), list(after.shape))
    return len(one) == 2 and list(map(str, one)) == list(map(str, reversed(other)))


def moved_size(before: List[Any], after: List[Any]) -> Any:
    """A size that stands at one place before and at another one after, so that the axis is torn; None where no axis is."""
    one, other = _trimmed(before, after)
    if len(one) < 2 or len(other) < 2 or len(before) < 3:
        return None
    if not any(is_free(size) for size in one):
        return _permuted(one, other)
    if any("//" in str(size) for size in one) or sum("//" in str(size) for size in other) > 1:
        return None  # more than the one size that -1 stands for is not exactly known
    for size in one:
        if not is_free(size) or str(size) not in map(str, other):
            continue
        if getattr(size.node.expr, "is_Symbol", False) and not _stays(size, one, other) and not _skewed(one, other):
            return size
    return None


def _trimmed(before: List[Any], after: List[Any]) -> Tuple[List[Any], List[Any]]:
    """Both shapes without sizes of 1 and without what they share at both ends."""
    one, other = ([size for size in sizes if fixed(size) != 1] for sizes in (before, after))
    while one and other and str(one[0]) == str(other[0]):
        one, other = one[1:], other[1:]
    while one and other and str(one[-1]) == str(other[-1]):
        one, other = one[:-1], other[:-1]
    return one, other


def _permuted(one: List[Any], other: List[Any]) -> Any:
    """Of sizes that are all numbers: the same ones in another order, and no two alike or a step apart; or a square image."""
    sizes, others = [fixed(size) for size in one], [fixed(size) for size in other]
    if _is_square_image(sizes, others) or _is_square_image(others, sizes):
        return one[-1]
    if sorted(sizes) != sorted(others) or len(set(sizes)) < len(sizes) or _skewed(one, other):
        return None
    return one[0]


def _is_square_image(last: List[Any], first: List[Any]) -> bool:
    """Whether these are (H, W, C) and (C, H, W) with a square of some size, in colour."""
    return len(last) == 3 and last[0] == last[1] >= SQUARE and last[2] in COLOURS and first == [last[2], *last[:2]]


def _stays(size: Any, one: List[Any], other: List[Any]) -> bool:
    """Whether the axis may be the same one: as many values stand before it, or behind it, as did."""
    places = [(left, right) for left, here in enumerate(one) for right, there in enumerate(other) if str(here) == str(there)]
    return any(
        _equal(one[:left], other[:right]) or _equal(one[left + 1 :], other[right + 1 :])
        for left, right in places
        if str(one[left]) == str(size)
    )


def _equal(one: List[Any], other: List[Any]) -> bool:
    """Whether both make as many values; what torch cannot simplify is compared by the numbers that stand for the sizes."""
    return str(_product(one)) == str(_product(other)) or math.prod(map(witness, one)) == math.prod(map(witness, other))


def _product(sizes: List[Any]) -> Any:
    total: Any = 1
    for size in sizes:
        total = total * size
    return total


def _skewed(one: List[Any], other: List[Any]) -> bool:
    """The well-known shift of relative positions: (T, T + 1) is read as (T + 1, T)."""
    return len(one) == 2 and len(other) == 2 and fixed(one[0] - one[1]) is not None and abs(fixed(one[0] - one[1])) <= 1
