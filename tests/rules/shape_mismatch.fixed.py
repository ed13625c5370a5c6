import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.pool = nn.MaxPool2d(2)
        self.fc1 = nn.Linear(6 * 14 * 14, 120)
        self.fc2 = nn.Linear(120, 10)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = torch.flatten(x, 1)
        x = F.relu(self.fc1(x))  # expect: shape-mismatch "self.fc1 takes 400 features, but gets 1176 (6×14×14): use nn.Linear(1176, …)"
        return self.fc2(x)


LeNet()(torch.randn(8, 3, 32, 32))


class Blocks(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
        self.norm = nn.BatchNorm2d(16)  # expect: layer-never-used
        self.head = nn.Linear(32, 10)

    def forward(self, x):
        x = self.conv1(x)
        x = self.conv2(x)  # expect: shape-mismatch "self.conv2 takes 32 channels, but gets 16 of (4, 16, 8, 8): use in_channels=16"
        x = x.mean((2, 3))
        return self.head(x)


Blocks()(torch.randn(4, 3, 8, 8))

net = nn.Sequential(
    nn.Conv2d(1, 8, 3),
    nn.Flatten(),
    nn.Linear(8 * 6 * 6, 10),  # expect: shape-mismatch "nn.Linear(8 * 6 * 6, 10) takes 288 features, but gets 6, the last axis of (4, 8, 6, 6): flatten it first, 8×6×6 = 288"
)
net(torch.randn(4, 1, 8, 8))

features = torch.randn(4, 32, 4, 4).flatten(1)  # expect: shape-mismatch "flatten merges the batch into the features, 4×32×4×4 = 2048, and"
nn.Linear(512, 10)(features)
linear, tokens = nn.Linear(48, 8), torch.randn(2, 48, 64)
linear(tokens)  # expect: shape-mismatch "linear takes 48 features, but gets 64: 48 is on axis 1 of (2, 48, 64), bring it to the end with transpose"
nn.Conv1d(64, 8, 3)(torch.randn(8, 40, 64))  # expect: shape-mismatch "its channels are on the last axis, use transpose(1, 2) first"
nn.BatchNorm1d(64)(torch.randn(4, 20, 64))  # expect: shape-mismatch "normalizes 64 channels, but axis 1 of (4, 20, 64) has 20: its channels are on the last axis"
nn.LayerNorm(24)(torch.randn(2, 24, 14, 14))  # expect: shape-mismatch "normalizes the last axis (24,), but (2, 24, 14, 14) ends with 14"
gru = nn.GRU(32, 16, batch_first=True)
gru(torch.randn(3, 5, 96))  # expect: shape-mismatch "gru takes 32 features a step, but gets 96"
gru(torch.randn(3, 5, 32), torch.zeros(3, 1, 16))  # expect: shape-mismatch "the state is (3, 1, 16), but must be (1, 3, 16)"

q, k = torch.randn(2, 3, 10, 16), torch.randn(2, 3, 10, 16)
q @ k  # expect: shape-mismatch "q (2, 3, 10, 16) @ k (2, 3, 10, 16): the inner sizes 16 and 10 do not fit, k.transpose(-2, -1) would"
a, b = torch.randn(4, 3), torch.randn(4, 5)
a + b  # expect: shape-mismatch "a is (4, 3), b is (4, 5): 3 and 5 on axis -1 do not broadcast"
torch.cat([a, b])  # expect: shape-mismatch "cat of (4, 3) and (4, 5) along axis 0: the others must be equal, but axis 1 has 3 and 5"
torch.cat([a, torch.randn(4)])  # expect: shape-mismatch "they have 2 and 1 axes"
c = a.view(5, -1)  # expect: shape-mismatch "(4, 3) has 12 values, which do not divide into (5, -1)"
c = a.reshape(4, 4)  # expect: shape-mismatch "(4, 3) has 12 values, but (4, 4) asks for 16"
(torch.randn(2, 5, 8) * torch.randn(2, 9, 8)).sum(2)  # expect: shape-mismatch "q is 5 and 9"; einsum-with-bmm-equivalent
logits, ids = torch.randn(4, 16, 11), torch.randint(0, 11, (4, 16))
F.cross_entropy(logits.transpose(1, 2), ids)  # expect: shape-mismatch "cross_entropy of scores (4, 16, 11) and targets (4, 16): the classes must be on axis 1, use transpose(1, 2) on the scores"
bce = nn.BCEWithLogitsLoss()
bce(torch.randn(32, 1), torch.ones(32))  # expect: shape-mismatch "wants equal shapes, but the input is (32, 1) and the target (32,): squeeze(1) the input"
nn.MultiheadAttention(100, 8)  # expect: shape-mismatch "embed_dim must be divisible by num_heads"
nn.Conv2d(3, 100, 3, groups=32)  # expect: shape-mismatch "must be divisible by groups"
nn.Conv2d(3, 8, 3, stride=2, padding="same")  # expect: shape-mismatch "padding='same' is not supported for strided convolutions"
tagger = nn.Sequential(
    nn.Embedding(100, 16),
    nn.LSTM(16, 32, batch_first=True),  # expect: shape-mismatch "LSTM returns a tuple, output and state, which nn.Sequential hands on to Linear"
    nn.Linear(32, 2),
)
tagger(torch.randint(0, 100, (3, 12)))


class NeverFits(nn.Module):
    """Nothing calls it, and no image of any size fits."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 6, 5)
        self.pool = nn.MaxPool2d(2)
        self.fc = nn.Linear(400, 10)
        self.head = nn.Sequential(nn.Conv1d(4, 9, 3, padding=1), nn.Flatten(), nn.Linear(100, 2))  # expect: shape-mismatch "nn.Linear(100, 2) takes 100 features, but gets 9×L, always a multiple of 9 and never 100: an input of 11 gives 99, one of 12 gives 108"

    def forward(self, x, signal):
        x = self.pool(F.relu(self.conv(x)))
        y = x.view(len(x), 400)  # expect: shape-mismatch "(N, 6, H//2 - 2, W//2 - 2) has 6*N*(H//2 - 2)*(W//2 - 2) values, but (N, 400) asks for 400*N, which is never as many"
        x = self.fc(x.flatten(1))  # expect: shape-mismatch "self.fc takes 400 features, but gets 6×(H//2 - 2)×(W//2 - 2), always a multiple of 6 and never 400: an image of 20×20 gives 384, one of 22×22 gives 486"
        return x, y, self.head(signal)


parser = argparse.ArgumentParser()
parser.add_argument("--hidden", type=int, default=256)
parser.add_argument("--batch-size", type=int, default=64)
parser.add_argument("--classes", type=int, required=True)
args = parser.parse_args()
wide, narrow = nn.Linear(8, args.hidden), nn.Linear(128, 4)
rows = torch.zeros(args.batch_size, 8)
narrow(wide(rows))  # expect: shape-mismatch "narrow takes 128 features, but gets 256, the last axis of (64, 256) (with the default hidden=256)"


# From here on everything is right.
nn.Linear(256, 4)(wide(rows))
nn.Linear(32, 4)(nn.Linear(8, args.classes)(rows))
class FitsSome(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 16, 5)
        self.fc = nn.Linear(400, 10)
        self.head = nn.Sequential(nn.Conv1d(4, 10, 3, padding=1), nn.Flatten(), nn.Linear(100, 2))

    def forward(self, x, signal):
        x = F.max_pool2d(self.conv(x), 2)
        return self.fc(x.flatten(1)), self.fc(x.view(-1, 400)), self.head(signal)


class Right(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.conv = nn.Conv2d(3, width, 3, padding=1)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(width, 10)

    def forward(self, x):
        return self.fc(self.pool(F.relu(self.conv(x))).flatten(1))


Right()(torch.randn(8, 3, 32, 32))
Right(8)(torch.randn(1, 3, 7, 9))
nn.Linear(16, 4)(torch.randn(2, 5, 7, 16))
nn.Conv2d(3, 8, 3)(torch.randn(3, 9, 9))
torch.randn(4, 1) + torch.randn(5)
torch.cat([a, torch.randn(2, 3)])
torch.randn(2, 1, 4, 3) @ torch.randn(5, 3, 4)
F.cross_entropy(torch.randn(4, 11, 6, 6), torch.randint(0, 11, (4, 6, 6)))
a.view(-1), a.view(2, -1), a.reshape(3, 4)


def unknown(x, n):
    y = x.view(n, -1)
    return nn.Linear(7, 3)(y) + torch.zeros(n)


def handled(x):
    try:
        return x.view(5, -1)
    except RuntimeError:
        return x
