import torch
import torch.nn.functional as F
from torch import nn


def floored(logits):
    p = torch.exp(logits)
    p[p < 0.1] = 0.1  # fails saved-output torch.Tensor.index_put_
    return (p / p.sum()).log()


class Gate(nn.Module):
    """Nothing goes backward here, but nothing ever could."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 4)

    def forward(self, x):
        attention = self.inner(x).softmax(-1)
        attention *= 0.5  # fails saved-output torch.Tensor.mul_
        return attention * x


class Safe(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.norm = nn.BatchNorm2d(4)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x):
        h = self.norm(self.conv(x))
        h += 1
        return self.act(h)


head = nn.Linear(6, 4)
loss = -floored(head(torch.randn(3, 6))).mean()
loss.backward()

weight = torch.zeros(3, requires_grad=True)
weight += 1  # fails leaf +
with torch.no_grad():
    weight += 1

rows = torch.zeros(4, 3, requires_grad=True) * 2
first, *rest = rows.unbind(0)
first.add_(1)  # fails view torch.Tensor.add_

tiles = torch.zeros(1, 3).expand(4, 3)
tiles[0, 0] = 1.0  # fails view torch.Tensor.__setitem__
copies = torch.zeros(1, 3).expand(4, 3).clone()
copies[0, 0] = 1.0

scale = torch.ones(3, requires_grad=True)
y = (scale * 2).sigmoid()
total = y.sum()
total.backward()
y.add_(1)  # after backward nothing needs it

# What goes through all values one by one changes no shape.
filled = torch.zeros(3, 4).apply_(lambda value: 1)  # -> (3, 4)
chosen = torch.zeros(3, 4).map_(torch.zeros(3, 4), max)  # -> (3, 4)
by_class = torch.Tensor.apply_(filled, abs)  # -> (3, 4)
