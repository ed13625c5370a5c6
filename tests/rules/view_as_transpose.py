import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, dim=32, heads=4):
        super().__init__()
        self.heads, self.qkv, self.proj = heads, nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q = q.view(b, t, self.heads, -1).transpose(1, 2)
        k = k.view(b, t, self.heads, -1).transpose(1, 2)
        v = v.view(b, t, self.heads, -1).transpose(1, 2)
        out = F.scaled_dot_product_attention(q, k, v)
        return self.proj(out.reshape(b, t, c))  # expect: view-as-transpose "of size T are mixed with others"


Attention()(torch.randn(1, 8, 32))


def split(q, heads=4):
    b, t, c = q.shape
    return q.view(b, heads, t, -1)  # expect: view-as-transpose "view of (N, T, D) to (N, 4, T, "


split(torch.randn(2, 8, 32))


def to_nchw(images):
    n, h, w, c = images.shape
    return images.reshape(n, c, h, w)  # expect: view-as-transpose


to_nchw(torch.zeros(2, 6, 9, 3))
pictures = torch.rand(2, 8, 6, 3).reshape(2, 3, 8, 6)  # expect: view-as-transpose
squares = torch.rand(2, 32, 32, 3).view(2, 3, 32, 32)  # expect: view-as-transpose "the axis of size 3"
shown = squares[0].reshape(32, 32, 3)  # expect: view-as-transpose
cube = torch.arange(64).view(4, 4, 4).view(4, 16).view(4, 2, 8)
heads = torch.rand(2, 12, 12, 8).view(2, 8, 12, 12)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.head = nn.LSTM(8, 16, bidirectional=True, batch_first=True), nn.Linear(32, 5)

    def forward(self, x):
        out, (hidden, cell) = self.lstm(x)
        return self.head(hidden.view(x.size(0), -1))  # expect: view-as-transpose


Tagger()(torch.randn(3, 7, 8))


def tokens(features):
    batch, channels, height, width = features.shape
    return features.view(batch, -1, channels)  # expect: view-as-transpose


def channels_first(series):
    b, steps, width = series.shape
    return series.reshape(-1, width, steps)  # expect: view-as-transpose


# From here on everything is right.
class Right(nn.Module):
    def __init__(self, dim=32, heads=4):
        super().__init__()
        self.heads, self.qkv, self.proj = heads, nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)

    def forward(self, x):
        b, t, c = x.shape
        qkv = self.qkv(x).reshape(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        out = F.scaled_dot_product_attention(q, k, v)
        return self.proj(out.transpose(1, 2).reshape(b, t, c))


Right()(torch.randn(1, 8, 32))


def right_nchw(images):
    n, h, w, c = images.shape
    return images.permute(0, 3, 1, 2).reshape(n, c, h * w)


def shuffle(x):
    n, c, h, w = x.shape
    return x.view(n, 2, c // 2, h, w).transpose(1, 2).reshape(n, c, h, w)


def heads_of_a_detector(x):
    n, _, h, w = x.shape
    return x.view(n, 3, -1, h, w).permute(0, 3, 4, 1, 2).reshape(n, -1, 5)


def relative_shift(scores):
    b, h, t, _ = scores.shape
    padded = F.pad(scores, (1, 0))
    return padded.view(b, h, t + 1, t)[:, :, 1:]


def sequence_first(x, heads=4):
    t, b, c = x.shape
    return x.view(t, b * heads, c // heads).transpose(0, 1)


def windows(x):
    b, h, w, c = x.shape
    return x.view(b, h // 4, 4, w // 4, 4, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, 16, c)


shuffle(torch.randn(2, 8, 3, 3))
heads_of_a_detector(torch.randn(2, 15, 4, 4))
relative_shift(torch.randn(2, 4, 6, 6))
sequence_first(torch.randn(7, 2, 16))
windows(torch.randn(2, 8, 8, 3))
matrix = torch.arange(6).view(2, 3).view(3, 2)
flat = torch.randn(4, 3, 8, 8).flatten(1)
folded = torch.randn(32, 10, 8).view(4, 8, 10, 8)


def shift(x):
    padded = torch.cat([x, x.new_zeros(x.shape[0], 1, *x.shape[2:])], dim=1)
    return padded.view(x.shape[1] + 1, x.shape[0], *x.shape[2:])[:-1].view_as(x)


shift(torch.rand(3, 5, 1, 1))
shift(torch.rand(4, 9, 2, 2))
F.pad(torch.rand(7, 3), (0, 1)).view(4, 7)
torch.eye(6).unsqueeze(-1).repeat(1, 4, 1).view(24, 6)  # a mask of blocks
