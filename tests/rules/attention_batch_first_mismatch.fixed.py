import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Patches(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.patches = nn.Conv2d(3, dim, 4, 4)
        self.attn = nn.MultiheadAttention(dim, 4, batch_first=True)  # expect: attention-batch-first-mismatch "but self.patches says that axis 0 is the batch"

    def forward(self, x):
        tokens = self.patches(x).flatten(2).transpose(1, 2)
        return self.attn(tokens, tokens, tokens)[0]


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.position = nn.Embedding(100, 16), nn.Embedding(64, 16)
        layer = nn.TransformerEncoderLayer(16, 2, batch_first=True)  # expect: attention-batch-first-mismatch "counts positions along axis 1"
        self.encoder = nn.TransformerEncoder(layer, 2)

    def forward(self, ids):
        x = self.embed(ids) + self.position(torch.arange(ids.size(1)))
        return self.encoder(x)


Words()(torch.zeros(4, 9, dtype=torch.int64))
block = nn.TransformerEncoderLayer(16, 2, batch_first=True)  # expect: attention-batch-first-mismatch "the loader"
for (x,) in DataLoader(TensorDataset(torch.randn(40, 7, 16)), batch_size=8):
    block(x)


class Named(nn.Module):
    def __init__(self):
        super().__init__()
        self.attn = nn.MultiheadAttention(16, 4, batch_first=True)  # expect: attention-batch-first-mismatch

    def forward(self, x):
        B, T, C = x.shape
        return self.attn(x, x, x, need_weights=False)[0]


class Pooled(nn.Module):
    def __init__(self):
        super().__init__()
        self.attn = nn.MultiheadAttention(16, 4, batch_first=True)  # expect: attention-batch-first-mismatch "out[:, 0] takes axis 1 for the sequence"

    def forward(self, x):
        out, _ = self.attn(x, x, x)
        return out[:, 0]


short = nn.MultiheadAttention(32, 4, batch_first=True)  # expect: attention-batch-first-mismatch "if (2, 10, 32) is (batch, sequence, features)"
tokens = torch.randn(2, 10, 32)
mixed, _ = short(tokens, tokens, tokens)


# From here on everything is right.
class Right(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.patches = nn.Conv2d(3, dim, 4, 4)
        self.first = nn.MultiheadAttention(dim, 4, batch_first=True)
        self.second = nn.MultiheadAttention(dim, 4)
        self.pos = nn.Parameter(torch.zeros(1, 64, dim))

    def forward(self, x):
        b, c, h, w = x.shape
        tokens = self.patches(x).flatten(2).transpose(1, 2)
        tokens = tokens + self.pos[:, : tokens.size(1)]
        tokens = self.first(tokens, tokens, tokens)[0]
        turned = tokens.transpose(0, 1)
        turned = self.second(turned, turned, turned)[0]
        flat = self.patches(x).flatten(2).permute(2, 0, 1)
        flat = self.second(flat, flat, flat)[0]
        return tokens[:, 0] + turned[0] + flat[0], turned.transpose(0, 1)[:, 0]


Right()(torch.randn(2, 3, 16, 16))


class SequenceFirst(nn.Module):
    def __init__(self):
        super().__init__()
        self.attn = nn.MultiheadAttention(16, 4)
        self.register_buffer("pe", torch.zeros(64, 1, 16))

    def forward(self, x):
        length, batch, width = x.shape
        x = x + self.pe[:length]
        return self.attn(x, x, x)[0][0]


SequenceFirst()(torch.randn(10, 2, 16))
queries = nn.Embedding(100, 16).weight.unsqueeze(1).repeat(1, 2, 1)
memory = torch.randn(50, 2, 16)
decoded = nn.TransformerDecoderLayer(16, 2)(queries, memory)
