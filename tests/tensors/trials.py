"""A constructor that tries a part of itself to see what comes out: what it gives there is not what a caller gives."""

import torch
from torch import nn


class Features(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv = nn.Conv2d(3, width, 3, padding=1)

    def forward(self, x):
        x = self.conv(x)  # -> (N, width, H, W)
        return x


class Network(nn.Module):
    def __init__(self, width=8, image_size=32):
        super().__init__()
        self.features = Features(width)
        with torch.no_grad():
            tried = self.features(torch.zeros(1, 3, image_size, image_size)).mean(dim=(2, 3))  # -> (1, width)
        self.head = nn.Linear(tried.shape[1], 10)

    def forward(self, x):
        x = self.features(x).mean(dim=(2, 3))
        return self.head(x)  # -> (N, 10)


class Body(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv = nn.Conv2d(3, width, 3, padding=1)

    def forward(self, x):
        x = self.conv(x)  # -> (N, 8, H, W)
        return x


class Holder(nn.Module):
    def __init__(self, width=8, image_size=32):
        super().__init__()
        self.body = Body(width)
        self.count = self.body(torch.zeros(1, 3, image_size, image_size)).flatten(1).shape[1]


holder = Holder()
size = torch.zeros(holder.count)  # -> (8192)
