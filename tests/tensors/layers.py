import torch
import torch.nn.functional as F
from torch import nn

lstm = nn.LSTM(5, 16, num_layers=2, batch_first=True)
out, (h, c) = lstm(torch.randn(8, 12, 5))
last = out[:, -1]  # -> (8, 16)
hidden = h  # -> (2, 8, 16)
attention = nn.MultiheadAttention(32, 4, batch_first=True)
mixed, weights = attention(*[torch.randn(2, 10, 32)] * 3)
tokens = mixed  # -> (2, 10, 32)
encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32), 2)
encoded = encoder(torch.randn(7, 3, 16))  # -> (7, 3, 16)
lazy = nn.Sequential(nn.LazyConv2d(8, 3), nn.Flatten(), nn.LazyLinear(10))
lazied = lazy(torch.randn(2, 3, 8, 8))  # -> (2, 10)
chain = nn.Sequential(
    nn.Conv2d(1, 8, 5),
    nn.MaxPool2d(2),
    nn.Linear(8 * 12 * 12, 10),  # fails shape torch.nn.Linear
)
chained = chain(torch.randn(16, 1, 28, 28))
upsampled = F.interpolate(torch.randn(1, 3, 8, 8), scale_factor=2)  # -> (1, 3, 16, 16)
same = nn.Conv2d(3, 3, 5, stride=2, padding="same")  # fails argument torch.nn.Conv2d
scores = torch.einsum("bqd,bkd->bqk", torch.randn(2, 5, 8), torch.randn(2, 9, 4))  # fails shape torch.einsum
loss = F.cross_entropy(torch.randn(4, 16, 11), torch.randint(0, 11, (4, 16)))  # fails shape torch.nn.functional.cross_entropy
normed = nn.LayerNorm(24)(torch.randn(2, 24, 14, 14))  # fails shape torch.nn.LayerNorm
rows = torch.randn(3, 4) + torch.randn(3, 5)  # fails shape +
flat = torch.randn(3, 4).view(5, -1)  # fails shape torch.Tensor.view
ids = nn.Embedding(10, 3)(torch.randn(2, 5))  # fails dtype torch.nn.Embedding
