import torch
import torch.nn.functional as F
from torch import nn


class Mix(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.mix = nn.Parameter(torch.zeros(n))
        self.total = torch.zeros(())

    def forward(self, x):
        self.mix = F.softmax(self.mix, dim=0)  # expect: parameter-overwritten-by-tensor "self.mix is a parameter and takes no plain tensor"
        return x * self.mix

layer = nn.Linear(4, 2)
layer.weight = torch.randn(2, 4)  # expect: parameter-overwritten-by-tensor "layer.weight is a parameter and takes no plain tensor"
layer.bias = torch.zeros(2)  # expect: parameter-overwritten-by-tensor


def start(module):
    if isinstance(module, nn.Conv2d):
        module.weight = torch.randn(module.weight.shape) * 0.02  # expect: parameter-overwritten-by-tensor

# From here on everything is right.
class Right(nn.Module):
    def __init__(self, n, learned):
        super().__init__()
        self.mix = nn.Parameter(torch.zeros(n))
        self.total = torch.zeros(())
        if learned:
            self.gain = nn.Parameter(torch.ones(n))
        else:
            self.gain = torch.ones(n)

    def forward(self, x):
        self.weights = F.softmax(self.mix, dim=0)
        self.total = self.total + x.sum()
        return x * self.weights

    def resize(self, n):
        self.mix = nn.Parameter(torch.zeros(n))

    def clear(self):
        self.mix = None

    def set_gain(self, n):
        self.gain = torch.ones(n)


class Folded(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.mix = nn.Parameter(torch.zeros(n))

    def fold(self):
        mix = self.mix.detach()
        del self.mix
        self.mix = torch.exp(mix)


layer.weight = nn.init.xavier_uniform_(layer.weight)
layer.weight.data = torch.randn(2, 4)
layer.weight = nn.Parameter(torch.randn(2, 4))
layer.weight = layer.weight.requires_grad_(False)
layer.bias = None
layer.weight = other_layer.weight
dropped = nn.Dropout(0.1)
dropped.weight = torch.ones(3)


def tie(module, table):
    module.weight = torch.randn(3)
    if isinstance(module, nn.Linear):
        module.weight = table.weight
