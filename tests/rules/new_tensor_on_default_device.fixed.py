import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Positions(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = 8
        self.pos = nn.Embedding(16, 8)
        self.cell = nn.RNNCell(8, 8)

    def begin(self, n):
        return torch.zeros(n, self.hidden)  # expect: new-tensor-on-default-device "torch.zeros is on the CPU, wherever the module is"

    def forward(self, x):
        scale = torch.full((x.size(1), 1), 0.5, device=x.device)  # expect: new-tensor-on-default-device
        where = torch.arange(x.size(1), device=x.device)  # expect: new-tensor-on-default-device "torch.arange is on the CPU"
        x = self.pos(where) + torch.mul(x, scale.expand(-1, 8))
        return self.cell(x, self.begin(len(x))) + torch.randn(len(x), 8, device=x.device)  # expect: new-tensor-on-default-device


# From here on everything is right.
class Right(nn.Module):
    def __init__(self):
        super().__init__()
        self.pos = nn.Embedding(16, 8)
        self.cell = nn.RNNCell(8, 8)

    def begin(self, n, like):
        return torch.zeros(n, 8, device=like.device)

    def forward(self, x, **options):
        where = torch.arange(x.size(1), device=x.device)
        extra = torch.zeros(3, **options)
        count = torch.zeros(())
        best: torch.Tensor = torch.empty(0)
        for scale in (1, 2):
            best = self.pos(x * scale) if scale == 1 else self.pos(x) + best
        order = torch.arange(len(x))
        x = x[order] + extra + count
        return self.cell(self.pos(where), self.begin(len(x), x)), torch.zeros(3)


class Moves(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 8)

    def forward(self, x):
        noise = torch.randn(8)
        noise = noise.to(x.device)
        return self.fc(x + noise)


def sample(model):
    return model(torch.zeros(3))
