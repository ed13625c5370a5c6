import numpy as np
import torch
from torch import nn

a = torch.zeros(3, 4)
b = a.copy()  # expect: unknown-tensor-attribute "tensors have no copy: use clone()"
c = torch.from_numpy(np.zeros(3)).astype(torch.float32)  # expect: unknown-tensor-attribute "tensors have no astype: use to(dtype)"
n = a.shape(0)  # expect: unknown-tensor-attribute "a.shape is no method"
m = a.size[1]  # expect: unknown-tensor-attribute "a.size is a method: call it, or take shape[…]"
a.fill(0)  # expect: unknown-tensor-attribute "use fill_(value)"


# From here on everything is right.
d = a.clone().to(torch.float64)
e = np.zeros(3).copy().astype("float32")
f = a.numpy().copy()
g = [1, 2].copy()
h, w = a.shape[0], a.size(1)


class Boxes(torch.Tensor):
    def copy(self):
        return self.clone()


def unknown(x):
    return x.copy()


kept = nn.ParameterList([])
kept.append(nn.Parameter(torch.zeros(2)))
named = nn.ParameterDict().copy()
weights = nn.Linear(2, 2).state_dict().copy()
packed = {"x": a}.copy()


def reversed_of(steps: torch.Tensor) -> torch.Tensor:
    """Annotated as tensors, and arrays in truth."""
    return np.flip(steps).copy()


noise = reversed_of(np.zeros(3))
other = (noise * 2).copy()


def scaled(image: torch.Tensor):
    return image.astype("float32") / 255
