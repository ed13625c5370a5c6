import numpy as np
import torch
from torch import nn

layer = nn.Linear(3, 1)


def statistics(layer):
    w = layer.weight.detach().numpy()
    w -= w.mean()  # expect: numpy-shares-memory "w shares its memory with layer.weight, which this changes too: copy it first"
    w /= w.std()
    return w.min()


def standardise(array):
    x = torch.from_numpy(array)
    x.sub_(x.mean()).div_(x.std())  # expect: numpy-shares-memory "x shares its memory with array"
    return x


def reshaped(array):
    x = torch.from_numpy(array)
    x.unsqueeze_(0).mul_(2)  # expect: numpy-shares-memory "x shares its memory with array"
    return x


# From here on everything is right.
def looked_at_otherwise(array):
    x = torch.from_numpy(array)
    x.unsqueeze_(0)
    y = torch.from_numpy(array)
    y.t_().requires_grad_()
    return x, y


def copied(layer, array):
    w = layer.weight.detach().numpy().copy()
    w -= w.mean()
    x = torch.from_numpy(array).clone()
    x.sub_(1.0)
    y = torch.from_numpy(array.copy())
    y.sub_(1.0)
    return w, x, y


def own():
    array = np.zeros(3)
    x = torch.from_numpy(array)
    x.add_(1)
    return x


def anew(layer, array):
    w = layer.weight.detach().numpy()
    w = w - w.mean()
    x = torch.from_numpy(array)
    x = x.float()
    x.sub_(1.0)
    output = layer(torch.ones(3)).detach().numpy()
    output -= 1
    return w, x, output
