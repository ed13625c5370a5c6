"""What fails for an input of any size is told, what fits some size is not."""

import torch
import torch.nn.functional as F
from somewhere import option
from torch import nn


class NeverFlat(nn.Module):
    """6*h*w is never 400."""

    def __init__(self, channels=6, features=400):
        super().__init__()
        self.conv = nn.Conv2d(3, channels, 5)
        self.pool = nn.MaxPool2d(2)
        self.fc = nn.Linear(features, 10)
        self.right = nn.Linear(channels * 25, 10)
        self.never = nn.Linear(401, 10)
        self.plain = nn.Conv2d(3, 6, 5)

    def forward(self, x):
        flat = self.pool(F.relu(self.conv(x))).flatten(1)
        self.right(flat)
        self.fc(flat)  # the caller may choose other channels
        flat = self.plain(x).flatten(1)
        return self.never(flat)  # fails shape torch.nn.Linear


class NeverViewed(nn.Module):
    """The batch counts with the rest: N*6*h*w is N*400 for no image, but may be a multiple of 400."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 6, 5)

    def forward(self, x):
        x = F.max_pool2d(self.conv(x), 2)
        x.view(-1, 400)
        x.view(x.size(0), 25, -1)
        x.view(x.size(0), 600)
        x.view(option.batch, 400)
        return x.view(x.size(0), 400)  # fails shape torch.Tensor.view


class TooWide(nn.Module):
    """Padding makes even the smallest image larger: (H + 4)*(W + 4) is 25 or more."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, padding=3)
        self.small = nn.Linear(4 * 4 * 4, 10)
        self.smallest = nn.Linear(4 * 5 * 5, 10)

    def forward(self, x):
        x = self.conv(x).flatten(1)
        self.smallest(x)
        return self.small(x)  # fails shape torch.nn.Linear


class Skip(nn.Module):
    """Without padding the way up is smaller than the way down for every image; with it they fit where H and W are even."""

    def __init__(self, padding=0):
        super().__init__()
        self.down = nn.Conv2d(3, 8, 3, padding=padding)
        self.deep = nn.Conv2d(8, 8, 3)
        self.padded = nn.Conv2d(8, 8, 3, padding=1)
        self.up = nn.ConvTranspose2d(8, 8, 2, stride=2)

    def forward(self, x):
        x = self.down(x)
        small = F.max_pool2d(x, 2)
        torch.cat([x, self.up(self.padded(small))], 1)
        return torch.cat([x, self.up(self.deep(small))], 1)  # fails shape torch.cat


class Sequence(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv1d(4, 9, 3, padding=1),
            nn.MaxPool1d(4),
            nn.Flatten(),
            nn.Linear(100, 2),  # fails shape torch.nn.Linear
        )

    def forward(self, x):
        return self.net(x)


class RoundedUp(nn.Module):
    """Which size ceil_mode gives depends on the image, so nothing is proved of it."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 6, 3, padding=1)
        self.pool = nn.MaxPool2d(2, ceil_mode=True)

    def forward(self, x):
        x = self.pool(self.conv(x)).flatten(1)
        return nn.Linear(401, 10)(x)


class MayBroadcast(nn.Module):
    """An image of 3 pixels becomes one, which is stretched."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(8, 8, 3)

    def forward(self, x):
        return x + self.conv(x)


def chosen(x: torch.Tensor):
    found = x[x > 0]
    more = torch.cat([found, torch.zeros(4)])
    return more + torch.zeros(4)  # nothing may be chosen


def longer(x):
    B, T, C = x.shape
    first = torch.cat([torch.zeros(B, 1, C), x], 1)
    torch.stack([first, x], 0)  # fails shape torch.stack
    return first
