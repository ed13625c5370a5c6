import os
from dataclasses import dataclass

import torch
from torch import nn

kind = "conv"
match kind:
    case "linear":
        layer = nn.Linear(3, 5)
    case "conv":
        layer = nn.Conv2d(3, 5, 3)
    case _:
        raise ValueError(kind)
maps = layer(torch.randn(2, 3, 9, 9))  # -> (2, 5, 7, 7)


@dataclass
class Size:
    height: int
    width: int


def pick(what):
    match what:
        case "c" | "conv":
            return torch.zeros(2, 3)
        case ("line", n):
            return torch.zeros(n)
        case ["first", *rest]:
            return torch.zeros(len(rest), 1)
        case {"size": n, **others}:
            return torch.zeros(n, len(others))
        case Size(height=h, width=w) if h > 100:
            return torch.zeros(h, w, 1)
        case Size(h, w):
            return torch.zeros(h, w)
        case int(k):
            return torch.zeros(k, k, k)
        case None:
            return torch.zeros(9)
        case other:
            return torch.zeros(7)


a = pick("c")  # -> (2, 3)
b = pick(("line", 5))  # -> (5)
c = pick(["first", 1, 2, 3])  # -> (3, 1)
d = pick({"size": 4, "name": "x"})  # -> (4, 1)
e = pick(Size(200, 3))  # -> (200, 3, 1)
f = pick(Size(2, 3))  # -> (2, 3)
g = pick(2)  # -> (2, 2, 2)
h = pick(None)  # -> (9)
i = pick(2.5)  # -> (7)


def perhaps(mode, x):
    rows = x
    match mode:
        case "twice":
            rows = torch.cat([x, x])
        case "wide":
            rows = torch.cat([x, x[:1]])
    return rows


j = perhaps(os.environ.get("MODE"), torch.zeros(4, 3))  # -> (?, 3)


def of_shape(x):
    match x.shape:
        case (n, c):
            return x.sum(1)
        case (n, c, *spatial):
            return x.flatten(2)


k = of_shape(torch.zeros(4, 3))  # -> (4)
m = of_shape(torch.zeros(4, 3, 5, 6))  # -> (4, 3, 30)
