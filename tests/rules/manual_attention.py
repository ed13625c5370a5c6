import math

import torch
import torch.nn.functional as F
from torch import nn


def attend(q, k, v):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    return scores.softmax(-1) @ v  # expect: manual-attention "F.scaled_dot_product_attention(q, k, v)"


def masked(q, k, v, mask):
    scores = torch.matmul(q, k.transpose(-1, -2)) / q.shape[-1] ** 0.5
    scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = F.softmax(scores, dim=-1)
    return torch.matmul(weights, v)  # expect: manual-attention


class CausalSelfAttention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.qkv, self.drop = nn.Linear(width, 3 * width), nn.Dropout(0.1)
        self.scale = width**-0.5
        self.softmax = nn.Softmax(dim=-1)
        self.temperature = nn.Parameter(torch.ones(1))

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        att = (q @ k.transpose(1, 2)) * self.scale
        att = att.masked_fill(torch.ones(1, 1) == 0, float("-inf"))
        att = F.softmax(att, dim=-1)
        att = self.drop(att)
        y = att @ v  # expect: manual-attention
        return y

    def with_layer(self, q, k, v):
        attn = self.softmax((q * self.scale) @ k.transpose(-2, -1))
        return torch.bmm(attn, v)  # expect: manual-attention


# Right: the weights are wanted, or it is another computation.
class Right(CausalSelfAttention):
    def forward(self, q, k, v):
        weights = torch.softmax(q @ k.transpose(-2, -1) * self.scale, dim=-1)
        return weights @ v, weights

    def kept(self, q, k, v):
        weights = torch.softmax(q @ k.transpose(-2, -1) * self.scale, dim=-1)
        self.last = weights
        return weights @ v

    def tempered(self, q, k, v):
        return torch.softmax(q @ k.transpose(-2, -1) * self.temperature, dim=-1) @ v

    def unscaled(self, q, k, v):
        return torch.softmax(q @ k.transpose(-2, -1), dim=-1) @ v

    def mixture(self, gates, experts):
        return torch.softmax(gates, dim=-1) @ experts

    def over_channels(self, q, k, v):
        return torch.softmax(q @ k * self.scale, dim=-1) @ v

    def other_axis(self, q, k, v):
        return torch.softmax(q @ k.transpose(-2, -1) * self.scale, dim=0) @ v

    def sigmoid(self, q, k, v):
        return torch.sigmoid(q @ k.transpose(-2, -1) * self.scale) @ v
