"""Networks that are made by registered builders, and objects whose methods nobody calls."""

import functools
import inspect
import numbers
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

ENTRIES = {}
default_widths = {"small": 32, "large": 64}


def register(builder):
    module = sys.modules[builder.__module__]
    if hasattr(module, "default_widths") and builder.__name__ in module.default_widths:
        ENTRIES[builder.__name__] = module.default_widths[builder.__name__]
    if hasattr(module, "no_such_name"):
        ENTRIES.clear()
    return builder


def positional(builder):
    rows = inspect.signature(builder).parameters.values()
    start = next(place for place, row in enumerate(rows) if row.kind == row.KEYWORD_ONLY)

    @functools.wraps(builder)
    def wrapper(*args, **kwargs):
        return builder(*args[:start], **kwargs)

    return wrapper


def outer(builder):
    @positional
    @functools.wraps(builder)
    def inner(*args, **kwargs):
        return builder(*args, **kwargs)

    return inner


class Norm(nn.LayerNorm):
    def __init__(self, size):
        shape = (size,) if isinstance(size, numbers.Integral) else tuple(size)
        super().__init__(shape)

    def forward(self, x):
        n, t, c = x.shape
        return F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)  # -> (n, t, size)


class Network(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.saving = False
        self.body = nn.Linear(8, width)
        self.register_buffer("mask", torch.zeros(width, width))

    def set_saving(self, enable=True):
        self.saving = enable
        self.register_buffer("mask", None)

    def reset(self, width):
        self.body = nn.Linear(width, width)

    def forward(self, x):
        if self.saving:
            return None
        x = checkpoint(self.body, x, use_reentrant=False)
        return x @ self.mask


@register
@outer
def small(*, weights=None):
    return Network(ENTRIES.get("small", default_widths["small"]))


net = small()
y = net(torch.zeros(4, 8))  # -> (4, 32)
width = torch.zeros(ENTRIES["small"])  # -> (32)


def deep(layer, depth):
    return layer if depth == 0 else deep(nn.Sequential(layer), depth - 1)


z = deep(nn.Linear(8, 3), 12)(torch.zeros(4, 8))  # -> (4, 3)
