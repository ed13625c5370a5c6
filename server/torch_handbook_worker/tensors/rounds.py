"""Free sizes that belong to one round of a loop: each round has its own, and they are called the same in all of them.

What a round leaves to the next one keeps its sizes, which have no name from then on: the last batch is smaller, so that nobody
may say that it is as large as the one before.
"""

from __future__ import annotations

import itertools
import re
from typing import Any, Dict, List

import torch

from torch_handbook_worker.tensors.notes import device_of
from torch_handbook_worker.tensors.promises import is_loose
from torch_handbook_worker.tensors.sizes import Sizes, expression_of
from torch_handbook_worker.tensors.values import Unknown

NUMBERS = itertools.count(1)
SYMBOL = re.compile(r"\bs\d+\b")


class Rounds:
    """The rounds of one loop; what is made while this is entered belongs to them."""

    def __init__(self, sizes: Sizes) -> None:
        self.sizes = sizes
        self.taken = dict(sizes.taken)
        self.most: Dict[str, int] = {}
        self.first = len(sizes.made)
        self.number = next(NUMBERS)

    def __enter__(self) -> Rounds:
        self.before, Unknown.handbook_round = Unknown.handbook_round, self.number
        return self

    def __exit__(self, *raised: object) -> None:
        Unknown.handbook_round = self.before
        self._count()
        self.sizes.taken.update(self.most)

    def _count(self) -> None:
        for name, count in self.sizes.taken.items():
            self.most[name] = max(count, self.most.get(name, 0))

    def again(self) -> None:
        """Begin another round: the sizes of the last one give up their names, unless some of a name outlast the loop."""
        self._count()
        sizes = self.sizes
        rows = list(itertools.islice(sizes.made.items(), self.first, None))
        lasting = {made.name for _, made in rows if made.born < self.number}
        for symbol, made in rows:
            if made.born >= self.number:
                sizes.names[symbol] = "n" + symbol[1:]
                sizes.texts.clear()
        sizes.taken = {name: count if name in lasting else self.taken.get(name, 0) for name, count in sizes.taken.items()}

    def alike(self, one: Any, other: Any) -> bool:
        """Whether two rounds left the same but for their own sizes."""
        if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
            return _look(one) == _look(other) and [*map(self._called, one.shape)] == [*map(self._called, other.shape)]
        if type(one) is type(other) and isinstance(one, (tuple, list)):
            return len(one) == len(other) and all(map(self.alike, one, other))
        rows: List[Any] = [value for value in (one, other) if type(value) is Unknown]
        return len(rows) == 2 and rows[0].kind == rows[1].kind and rows[0].item is rows[1].item

    def _called(self, size: Any) -> str:
        """A size, with what the sizes of its round were shown as in place of them."""
        made = self.sizes.made
        return SYMBOL.sub(lambda found: made[found[0]].shown if found[0] in made else found[0], str(expression_of(size)))


def _look(tensor: Any) -> Any:
    autograd = (tensor.requires_grad, tensor.is_leaf)
    return tensor.dim(), tensor.dtype, device_of(tensor), is_loose(tensor), autograd, isinstance(tensor, torch.nn.Parameter)
