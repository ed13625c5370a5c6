import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class SinePositions(nn.Module):
    def __init__(self, dim, max_len=64):
        super().__init__()
        pe = torch.zeros(max_len, 1, dim)
        pe[:, 0, 0::2] = torch.sin(torch.arange(max_len).unsqueeze(1) * torch.ones(dim // 2))
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x + self.pe[: x.size(0)]  # expect: positional-encoding-axis "self.pe[: x.size(0)] adds positions along axis 0 of (4, 9, 16), but layer is built with batch_first=True"


layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
coded = layer(SinePositions(16)(torch.zeros(4, 9, 16)))


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(100, 16)
        self.register_buffer("pe", torch.zeros(64, 1, 16))

    def forward(self, ids):
        x = self.embed(ids)
        x = x + self.pe[: x.shape[0], :]  # expect: positional-encoding-axis "the loader gives the batch on axis 0"
        return x.mean(dim=1)


model = Words()
for (ids,) in DataLoader(TensorDataset(torch.zeros(40, 7, dtype=torch.int64)), batch_size=8):
    model(ids)


class Named(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("table", torch.zeros(64, 1, 16))

    def forward(self, x):
        batch, steps, width = x.shape
        return self.table[:batch] + x  # expect: positional-encoding-axis "batch is what the code calls axis 0"


Named()(torch.randn(2, 5, 16))


# From here on everything is right.
class Right(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("pe", torch.zeros(1, 64, 16))
        self.register_buffer("rows", torch.zeros(64, 16))
        self.bias = nn.Parameter(torch.zeros(16))
        self.layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)

    def forward(self, x):
        b, t, c = x.shape
        return self.layer(x + self.pe[:, :t] + self.rows[:t] + self.bias)


Right()(torch.zeros(4, 9, 16))


class SequenceFirst(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("pe", torch.zeros(64, 1, 16))
        self.layer = nn.TransformerEncoderLayer(16, 2, 32)

    def forward(self, x):
        turned = x.transpose(0, 1)
        return self.layer(turned + self.pe[: turned.size(0)]).transpose(0, 1)


loader = DataLoader(TensorDataset(torch.randn(40, 7, 16)), batch_size=8)
network = SequenceFirst()
for (x,) in loader:
    network(x)


class Condition(nn.Module):
    def __init__(self):
        super().__init__()
        self.time = nn.Linear(1, 16)

    def forward(self, x, t):
        batch, steps, width = x.shape
        return x + self.time(t)[:, None, :]


Condition()(torch.randn(2, 5, 16), torch.rand(2, 1))
