"""Plain Python around tensors."""

import argparse
import functools
import math
from dataclasses import dataclass
from enum import Enum

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--width", type=int, default=16)
unknown = parser.parse_args().other


class Kind(Enum):
    SMALL = 4
    LARGE = 8


@dataclass
class Options:
    width: int = 12
    depth: int = 3

    @property
    def total(self):
        return self.width * self.depth


class Base(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width
        self.layers = nn.ModuleList()
        for place in range(3):
            self.layers.append(nn.Linear(width, width))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x  # -> (2, 36)


class Derived(Base):
    def forward(self, x, *, scale=1.0):
        x = super().forward(x)
        return x * scale  # -> (2, 36)


def several(*tensors, **named):
    return torch.cat(tensors, dim=named.get("dim", 0))


def counted(limit):
    for place in range(limit):
        yield torch.zeros(place + 1, 2)


options = Options()
out = Derived(options.total)(torch.zeros(2, 36), scale=2)  # -> (2, 36)
small = torch.zeros(Kind.SMALL.value, math.ceil(2.5))  # -> (4, 3)
joined = several(*[torch.zeros(2, 3) for _ in range(4)], dim=1)  # -> (2, 12)
made = [torch.zeros(n) for n in (1, 2, 3) if n > 1]
second = made[1]  # -> (3)
double = (lambda t, times=2: t.repeat(times, 1))(torch.zeros(3, 4))  # -> (6, 4)
twice = functools.partial(torch.mean, dim=1)(torch.zeros(5, 6))  # -> (5)
table = {"a": torch.zeros(1, 2), "b": torch.zeros(3)}
picked = table["b"]  # -> (3)
stacked = torch.cat(list(counted(3)))  # -> (6, 2)
if unknown:
    branch = torch.zeros(3, 4)
else:
    branch = torch.zeros(3, 5)
either = branch * 2  # -> (3, n)
try:
    risky = torch.zeros(3) @ torch.zeros(4)
except RuntimeError:
    risky = None
assert (x := torch.zeros(7)).numel() == 7
seven = x + 1  # -> (7)
name, (left, *right) = "n", torch.zeros(3, 2)
first = left  # -> (2)
