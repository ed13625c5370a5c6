import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class PooledClassifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.pool, self.fc = nn.Conv2d(3, 8, 3), nn.AdaptiveAvgPool2d(1), nn.Linear(8, 4)

    def forward(self, x):
        x = self.pool(self.conv(x)).flatten(1)  # expect: squeeze-without-dim "drops the batch when it has one sample: use flatten(1)"
        return self.fc(x)


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))

    def forward(self, x):
        return torch.squeeze(self.net(x))  # expect: squeeze-without-dim "use squeeze(-1)"


class Scorer(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Linear(8, 1)

    def forward(self, tokens):
        b, t, d = tokens.shape
        weights = self.score(tokens).squeeze(-1).softmax(-1)  # expect: squeeze-without-dim
        return (weights.unsqueeze(-1) * tokens).sum(1)


Regressor()(torch.randn(4, 3))
model = Regressor()
data = TensorDataset(torch.randn(9, 3), torch.randn(9))
for x, y in DataLoader(data, batch_size=4):
    loss = nn.functional.mse_loss(model.net(x).squeeze(-1), y)  # expect: squeeze-without-dim


class Single(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1))

    def forward(self, x):
        plane = torch.ones(1, 4, 1).squeeze()
        return self.body(x).flatten(1) * plane.sum()  # expect: squeeze-without-dim "squeeze() of (1, 8, 1, 1) also drops the batch when it has one sample: use flatten(1)"


Single()(torch.randn(1, 3, 40, 40))


# From here on everything is right.
class Right(nn.Module):
    def __init__(self):
        super().__init__()
        self.net, self.kernel = nn.Linear(3, 1), nn.Parameter(torch.randn(4, 3, 1, 1))

    def forward(self, x):
        weight = self.kernel.squeeze()
        first = self.net(x).squeeze(-1)
        second = self.net(x).squeeze(dim=1)
        total = first.sum().squeeze() + x.squeeze().sum() + weight.sum()
        picture = x[:1].squeeze()
        return first + second + total + picture.sum()


Right()(torch.randn(5, 3))
for x, y in DataLoader(data, batch_size=3):
    loss = nn.functional.mse_loss(model.net(x).squeeze(), y)
for x, y in DataLoader(data, batch_size=4, drop_last=True):
    loss = nn.functional.mse_loss(model.net(x).squeeze(), y)
image = torch.randn(1, 28, 28).squeeze()
column = torch.randn(30, 1).squeeze()
for x, y in DataLoader(data, batch_size=4):
    x.index_fill_(0, torch.nonzero(y == 0).squeeze(), 0.0)
