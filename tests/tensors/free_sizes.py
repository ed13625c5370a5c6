import torch
import torch.nn.functional as F
from torch import nn


class Stem(nn.Module):
    """Nothing calls it: its input is what its first layer takes."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 16, 5)
        self.pool = nn.MaxPool2d(2)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(100, 10)

    def forward(self, image):
        h = self.conv(image)  # -> (N, 16, H - 4, W - 4)
        h = F.relu(self.pool(h))  # -> (N, 16, H//2 - 2, W//2 - 2)
        h = h.flatten(1)
        h = self.fc1(h)  # -> (N, 120)
        return self.fc2(h)  # fails shape torch.nn.Linear


class Heads(nn.Module):
    """The sizes have the names that the code gives them, and the width is the constructor's."""

    def __init__(self, dim, heads=8):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, dim * 3)

    def forward(self, x):
        B, T, C = x.shape
        qkv = self.qkv(x)  # -> (B, T, 3*dim)
        q, k, v = qkv.view(B, T, 3, self.heads, C // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        weights = (q @ k.transpose(-2, -1)).softmax(-1)  # -> (B, heads, T, T)
        return weights @ v  # -> (B, heads, T, dim//heads)


def rows(x):
    b, c, h, w = x.shape
    y = x.permute(0, 2, 3, 1)  # -> (b, h, w, c)
    return y.reshape(b, h * w, c)  # -> (b, h*w, c)


def masked(x: torch.Tensor):
    values = torch.arange(10.0)
    chosen = values[values > 3]  # -> (n)
    return chosen.sum()  # -> ()


def torn(img):
    b, h, w, c = img.shape
    first = img.view(b, c, h, w)  # fails axes torch.Tensor.view
    flat = img.reshape(b, w * c, h)  # fails axes torch.Tensor.reshape
    return first, flat


def whole(img):
    first, flat = torn(img)
    first = first * 1  # -> (b, c, h, w)
    flat = flat * 1  # -> (b, w*c, h)
    return first, flat


def made_divisible(value, divisor=8, least=None):
    least = least or divisor
    rounded = max(least, int(value + divisor / 2) // divisor * divisor)
    if rounded < 0.9 * value:
        rounded += divisor
    return rounded


class Widened(nn.Module):
    """A size is called what the one who made it calls it, not what it was called where it was worked out."""

    def __init__(self, in_chs, expand=1.0, wide=None):
        super().__init__()
        wide = wide or made_divisible(expand * in_chs)
        self.conv = nn.Conv2d(in_chs, wide, 1)

    def forward(self, x):
        x = self.conv(x)  # -> (N, wide, H, W)
        return x
