import numpy as np
import torch
from options import batch_size, block_size, heads
from torch import nn

tokens = torch.randint(50, (10000,))


def batch_of(starts):
    x = torch.stack([tokens[i : i + 32] for i in starts])  # -> (16, 32)
    y = torch.stack([tokens[i + 1 : i + 1 + 32] for i in starts])  # -> (16, 32)
    part = tokens[starts[0] : starts[0] + 32]  # -> (?)
    return x, y, part


batch_of(torch.randint(len(tokens) - 32, (16,)))


def drawn(path):
    data = np.memmap(path, dtype=np.uint16, mode="r")
    ix = torch.randint(len(data) - block_size, (batch_size,))  # -> (batch_size)
    x = torch.stack([torch.from_numpy(data[i : i + block_size].astype(np.int64)) for i in ix])  # -> (batch_size, block_size)
    y = torch.stack([torch.from_numpy(data[i + 1 : i + 1 + block_size].astype(np.int64)) for i in ix])  # -> (batch_size, block_size)
    odd = torch.stack([torch.from_numpy(data[i : i * 2].astype(np.int64)) for i in ix])  # -> (batch_size, ?)
    return x, y, odd


class Steps(nn.Module):
    """As many results as there are steps."""

    def __init__(self, width):
        super().__init__()
        self.cell = nn.GRUCell(width, 64)
        self.out = nn.Linear(64, 10)

    def forward(self, x):
        B, T, D = x.shape
        h = x.new_zeros(B, 64)  # -> (B, 64)
        outs, steps, some, twice, early = [], [], [], [], []
        for t in range(T):
            h = self.cell(x[:, t], h)  # -> (B, 64)
            outs.append(self.out(h))
            steps.append(h.unsqueeze(1))
            twice.append(h)
            twice.append(h)
            if h.sum() > 0:
                some.append(h)
        first = torch.stack(outs, dim=1)  # -> (B, T, 10)
        second = torch.cat(steps, 1)  # -> (B, T, 64)
        third = torch.stack([self.out(h * t) for t in range(T)], -1)  # -> (B, 10, T)
        outs.append(self.out(h))
        longer = torch.stack(outs)
        for t in range(T):
            early.append(h)
            if h.sum() > 0:
                break
        left = torch.stack(early), torch.stack(some), torch.stack(twice)
        rows = [self.out(h * t) for t in range(1, T)]
        every = []
        for _ in heads(x):
            for t in range(T):
                every.append(h)
        either = []
        if h.sum() > 0:
            for t in range(T):
                either.append(h)
        else:
            for t in range(D):
                either.append(h)
        return first, second, third, longer, left, torch.stack(rows), torch.stack(every), torch.stack(either)
