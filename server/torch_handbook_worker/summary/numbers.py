"""Numbers for free sizes: a network can only be measured with sizes that are all known."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, List, Set

import torch

from torch_handbook_worker.tensors.roles import BATCH, TIME
from torch_handbook_worker.tensors.sizes import Sizes, fixed
from torch_handbook_worker.tensors.values import each

SPACE = re.compile(r"[HWD]\d*|h|w|height|width|img_size|image_size|resolution", re.IGNORECASE)
# What is tried for the height and the width of images, in this order, and for the length of sequences.
IMAGES = (224, 32, 28, 64, 128, 96, 256, 299, 384, 512, 16)
STEPS = 128
OTHER = 64


@dataclass
class Numbers:
    """What each free size is taken to be; `assumed` are those that nobody gave."""

    sizes: Sizes
    given: Dict[str, int]
    batch: int
    image: int = IMAGES[0]
    assumed: Dict[str, int] = field(default_factory=dict)

    def of(self, size: Any) -> int:
        """The number that stands for a size."""
        known = fixed(size)
        if known is not None:
            return int(known)
        expression = size.node.expr
        numbers = {symbol: self._number(str(symbol)) for symbol in expression.free_symbols}
        return max(int(expression.subs(numbers)), 1)

    def _number(self, symbol: str) -> int:
        name = self.sizes.names.get(symbol, symbol)
        if name in self.given:
            return self.given[name]
        if is_batch(name):
            return self.batch
        number = self.image if SPACE.fullmatch(name) else STEPS if TIME.match(name) else OTHER
        self.assumed[name] = number
        return number

    def value(self, value: Any) -> Any:
        """An argument with numbers for its free sizes: a tensor is made anew, everything else stays as it is."""
        if isinstance(value, torch.Tensor):
            made = torch.empty([self.of(size) for size in value.shape], dtype=value.dtype)
            return made.requires_grad_() if value.requires_grad and value.is_leaf else made
        if isinstance(value, torch.SymInt):
            return self.of(value)
        if type(value) in (list, tuple):
            return type(value)(self.value(item) for item in value)
        if type(value) is dict:
            return {key: self.value(item) for key, item in value.items()}
        return value


def is_batch(name: str) -> bool:
    """Whether a free size is the number of samples, by its name."""
    return name == "N" or BATCH.match(name) is not None


def free_names(sizes: Sizes, values: Any) -> Set[str]:
    """The names of the free sizes among the shapes of some tensors."""
    return set(_names(sizes, values))


def _names(sizes: Sizes, values: Any) -> Iterator[str]:
    for value in each(values):
        shape: List[Any] = list(value.shape) if isinstance(value, torch.Tensor) else [value]
        for size in shape:
            if isinstance(size, torch.SymInt) and fixed(size) is None:
                yield from (sizes.names.get(str(symbol), str(symbol)) for symbol in size.node.expr.free_symbols)
