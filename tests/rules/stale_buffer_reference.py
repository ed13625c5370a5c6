import torch
from torch import nn


class Anchors(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.register_buffer("mean", torch.zeros(3))
        self.center = self.mean  # expect: stale-buffer-reference "self.mean is a new one: keep its name instead"
        self.both = [self.mean, 1]  # expect: stale-buffer-reference
        self.levels = []
        for index, size in enumerate(sizes):
            self.register_buffer(f"anchor_{index}", torch.tensor([size]))
            self.levels.append(getattr(self, f"anchor_{index}"))  # expect: stale-buffer-reference "the buffer is a new one"


# From here on everything is right.
class Right(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.register_buffer("mean", torch.zeros(3))
        self.weight = nn.Parameter(torch.zeros(3))
        self.weights = [self.weight]
        self.center = self.mean.clone()
        center = self.mean
        self.count = center.numel()
        self.levels = []
        for index, size in enumerate(sizes):
            self.register_buffer(f"anchor_{index}", torch.tensor([size]))
            self.levels.append(f"anchor_{index}")

    def forward(self, x):
        self.last = self.mean
        return x
