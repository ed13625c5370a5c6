"""Constructors that choose by a default, and forwards that take the shape of an input apart after its first layer."""

import torch
from torch import nn


class Stem(nn.Module):
    def __init__(self, patch_size, width):
        super().__init__()
        if patch_size == 16:
            self.proj = nn.Sequential(nn.Conv2d(3, width, 4, 4), nn.ReLU(), nn.Conv2d(width, width, 4, 4))
        elif patch_size in (4, 8):
            self.proj = nn.Conv2d(3, width, patch_size, patch_size)
        else:
            raise ValueError(patch_size)

    def forward(self, x):
        x = self.proj(x)  # -> (N, width, H//16, W//16)
        return x


class Attention(nn.Module):
    def __init__(self, width, heads=8, scale=None):
        super().__init__()
        self.heads = heads
        head_width = width // heads
        self.scale = scale or head_width**-0.5
        self.qkv = nn.Linear(width, width * 3)

    def forward(self, x):
        n, t, c = x.shape
        q, k, v = self.qkv(x).reshape(n, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        weights = (q @ k.transpose(-2, -1)) * self.scale  # -> (N, 8, H//16*(W//16), H//16*(W//16))
        return (weights.softmax(-1) @ v).transpose(1, 2).reshape(n, t, c)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.mix = nn.Conv1d(width, width, 1)

    def forward(self, x):
        y = self.norm(x)  # -> (N, T, width)
        n, t, c = y.shape
        y = y.transpose(1, 2).reshape(n, c, t)
        return x + self.mix(y).transpose(1, 2)  # -> (N, T, width)


class Pair(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Linear(width, width)

    def forward(self, x):
        x = self.first(x)  # -> (…, width)
        return x


class Network(nn.Module):
    def __init__(self, patch_size=16, width=64):
        super().__init__()
        self.stem = Stem(patch_size, width)
        self.attention = Attention(width)

    def forward(self, x):
        x = self.stem(x).flatten(2).transpose(1, 2)
        x = self.attention(x)
        return x
