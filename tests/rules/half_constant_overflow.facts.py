import torch
from torch import nn


class Scores(nn.Module):
    def forward(self, q, k, pad):
        scores = q @ k.transpose(-2, -1)
        scores = scores.masked_fill(pad[:, None, :], -1e9)  # expect: half-constant-overflow
        return scores.softmax(dim=-1)


class Safe(nn.Module):
    def forward(self, q, k, pad):
        scores = (q @ k.transpose(-2, -1)).float()
        scores = scores.masked_fill(pad[:, None, :], -1e9)
        return scores.softmax(dim=-1)


pad = torch.tensor([[False, False, True], [False, True, True]])
Scores()(torch.randn(2, 4, 8).half(), torch.randn(2, 3, 8).half(), pad)
Safe()(torch.randn(2, 4, 8).half(), torch.randn(2, 3, 8).half(), pad)
