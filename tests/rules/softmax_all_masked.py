import math

import torch
import torch.nn.functional as F
from torch import nn


def pool(hidden, pad_mask):
    scores = hidden.sum(-1).masked_fill(pad_mask, float("-inf"))  # expect: softmax-all-masked "pad_mask masks all of a row with -inf"
    weights = torch.softmax(scores, dim=-1)
    return (weights.unsqueeze(-1) * hidden).sum(1)


pad = torch.tensor([[0, 0, 0, 1], [1, 1, 1, 1], [0, 0, 1, 1]]).bool()
pool(torch.randn(3, 4, 5), pad)
tokens = torch.tensor([[5, 3, 0], [0, 0, 0]])
scores = torch.randn(2, 3)
weights = scores.masked_fill(tokens == 0, -math.inf).softmax(dim=1)  # expect: softmax-all-masked
weights = F.softmax(torch.where(tokens == 0, -torch.inf, scores), dim=-1)  # expect: softmax-all-masked
lengths = torch.tensor([3, 0])
outside = torch.arange(3)[None, :] >= lengths[:, None]
weights = F.log_softmax(scores.masked_fill(outside, float("-inf")), dim=-1)  # expect: softmax-all-masked "outside masks all"
keep = tokens != 0
heads = torch.randn(2, 4, 3, 3)
mask = ~keep[:, None, None, :]
weights = F.softmax(heads.masked_fill(mask, float("-inf")) / 8, dim=-1)  # expect: softmax-all-masked
attention = nn.MultiheadAttention(8, 2, batch_first=True)
q = torch.randn(2, 3, 8)
out, _ = attention(q, q, q, key_padding_mask=tokens == 0)  # expect: softmax-all-masked "masks all keys of a sample"


class Pool(nn.Module):
    def forward(self, hidden, mask):
        scores = hidden.sum(-1).masked_fill(mask, float("-inf"))  # expect: softmax-all-masked
        return scores.softmax(-1)


Pool()(torch.randn(3, 4, 5), pad)

# From here on everything is right.
weights = scores.masked_fill(tokens == 0, torch.finfo(scores.dtype).min).softmax(dim=1)
weights = scores.masked_fill(tokens == 7, float("-inf")).softmax(dim=1)
causal = torch.ones(3, 3, dtype=torch.bool).triu(1)
weights = scores.softmax(-1) * keep
half = torch.tensor([[True, False, False], [True, True, False]])
weights = scores.masked_fill(half, float("-inf")).softmax(-1)
weights = scores.masked_fill(tokens == 0, float("-inf")).softmax(0)
zeros = scores.masked_fill(tokens == 0, 0.0).softmax(-1)
out, _ = attention(q, q, q, key_padding_mask=half)
out, _ = attention(q, q, q, key_padding_mask=tokens == 0, need_weights=False)


def unknown(scores, mask):
    return scores.masked_fill(mask, float("-inf")).softmax(-1)
