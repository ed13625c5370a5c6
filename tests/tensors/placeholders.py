"""What later code fills, lists of as many items as some file has lines, and texts that only look like shapes."""

import numpy as np
import torch
from torch import nn


class Head(nn.Module):
    anchors = torch.empty(0)  # until the first forward

    def __init__(self):
        super().__init__()
        self.strides = torch.tensor([])
        self.register_buffer("table", torch.empty(0, 4))

    def build(self, x):
        self.anchors, self.strides, self.table = x, x[0], x[:, :4]

    def decode(self, x):
        table = self.table[1] * 1  # -> no tensor
        return (x + self.anchors[0]) * self.strides[1]


def rows_of(path):
    rows = [[float(value) for value in line.split(",")] for line in open(path)]
    table = torch.tensor(rows)  # -> (?, n)
    column = torch.tensor([int(line) for line in open(path)])  # -> (?)
    flat = torch.tensor(rows).squeeze()
    assert flat.size(0) > 1
    array = torch.from_numpy(np.array(rows))  # -> no tensor
    return table, column, flat, array


def unpartition(windows, window_size: int, pad_hw: tuple[int, int], hw):
    """Put windows together.

    Args:
        windows (torch.Tensor): Windows of shape (B, 8, 8, 64).
        pad_hw (tuple[int, int]): Height and width (Hp, Wp).
        hw (tuple[int, int]): Height and width (H, W).

    Examples:
        >>> pad_hw = (16, 16)
        >>> hw = (15, 14)
    """
    hp, wp = pad_hw
    h, w = hw
    if hp > h or wp > w:
        windows = windows[:, :h, :w, :]
    return windows * 1  # -> (B, ?, ?, 64)


def embed(points: "tuple[torch.Tensor, torch.Tensor] | None", boxes: "torch.Tensor | None"):
    """Embed points (B, N, 2), each with a label, and boxes (B, 4)."""
    coords, labels = points
    both = torch.cat([coords, labels[..., None]], dim=-1)
    corners = boxes.reshape(-1, 2, 2)  # -> (B, 2, 2)
    return both, corners


def parts(x):
    """x: (B, 3)"""
    first, second, third = x.unbind(1)
    total = first + second + third  # -> (B)
    for row in x.unbind():
        twice = row * 2  # -> (3)
    return [torch.sum(row) for row in torch.unbind(x)], total, twice
