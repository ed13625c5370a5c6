import torch
from torch import nn


class Cosine(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.table = torch.cos(torch.arange(n, dtype=torch.float32))  # expect: tensor-attribute-not-buffer "self.table stays where it is when the module moves"
        self.mean = torch.tensor([0.5, 0.5])  # expect: tensor-attribute-not-buffer

    def forward(self, x):
        return self.fc(x - self.mean) * self.table


# From here on everything is right.
class Right(nn.Module):
    def __init__(self, n, device):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.register_buffer("table", torch.cos(torch.arange(n, dtype=torch.float32)))
        self.moved = torch.arange(3.0)
        self.number = torch.tensor(3.0)
        self.there = torch.arange(3.0, device=device)
        self.index = torch.tensor([0, 1])
        self.total = torch.zeros(3)

    def forward(self, x):
        self.total = self.total + 1
        x = x[:, self.index] + self.number + self.there
        return self.fc(x) * self.moved.to(x.device) * self.table


class NoWeights(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = torch.zeros(3)

    def forward(self, x):
        return x - self.mean


class Moves(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.mean = torch.zeros(3)

    def _apply(self, function, recurse=True):
        self.mean = function(self.mean)
        return super()._apply(function, recurse)

    def forward(self, x):
        return self.fc(x) - self.mean


class Positions(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc = nn.Linear(dim, dim)
        self.table = torch.zeros(64, dim)  # expect: tensor-attribute-not-buffer
        self.register_buffer("kept", torch.zeros(64, dim))

    def forward(self, x: torch.Tensor):
        return self.fc(x) + self.table[: x.size(1)] + self.kept[: x.size(1)]
