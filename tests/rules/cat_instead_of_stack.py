import torch
from torch import nn


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.head = nn.GRUCell(8, 16), nn.Linear(16, 3)

    def forward(self, x):
        h, states = x.new_zeros(x.size(0), 16), []
        for t in range(x.size(1)):
            h = self.cell(x[:, t], h)
            states.append(h)
        return self.head(torch.cat(states))  # expect: cat-instead-of-stack "cat of 10 steps of (4, 16) puts time and batch on one axis, (40, 16)"


Recurrent()(torch.randn(4, 10, 8))
series = torch.randn(4, 10, 8)
layer = nn.Linear(8, 5)
scores = torch.cat([layer(series[:, t]) for t in range(10)], dim=0)  # expect: cat-instead-of-stack
mean = scores.mean(dim=0)


# From here on everything is right.
class Right(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.head = nn.GRUCell(8, 16), nn.Linear(16, 3)

    def forward(self, x):
        h, states = x.new_zeros(x.size(0), 16), []
        for t in range(x.size(1)):
            h = self.cell(x[:, t], h)
            states.append(h)
        joined = torch.cat(states).view(x.size(1), x.size(0), -1)
        columns = torch.cat([h.unsqueeze(1) for h in states], dim=1)
        return self.head(torch.stack(states, dim=1)) + columns.mean() + joined.mean(), torch.cat(states, dim=1)


Right()(torch.randn(4, 10, 8))
views = torch.cat([series[:, 0], series[:, 0].flip(-1)])
several = torch.cat([torch.randn(4, 8) for _ in range(10)])
channels = [layer(part) for part in series.split(4)]
whole = torch.cat(channels)
