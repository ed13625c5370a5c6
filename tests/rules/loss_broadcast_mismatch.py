import torch
import torch.nn as nn
import torch.nn.functional as F

x = torch.randn(64, 3)
y = x[:, 0] * 3
model, criterion = nn.Linear(3, 1), nn.MSELoss()
loss = criterion(model(x), y)  # expect: loss-broadcast-mismatch "model(x) is (64, 1) and y (64,): the loss is taken over all pairs"
loss = F.l1_loss(y, model(x))  # expect: loss-broadcast-mismatch
loss = F.smooth_l1_loss(model(x) * 2, y)  # expect: loss-broadcast-mismatch

# From here on everything is right.
loss = criterion(model(x).squeeze(1), y)
loss = criterion(model(x), y[:, None])
loss = criterion(model(x).mean(), y.mean())
loss = criterion(model(x[:1]), y[:1])
loss = criterion(x, torch.zeros(3))
loss = criterion(x, torch.tensor(0.0))
distances = model(x) - y


def step(network, batch, target):
    return F.mse_loss(network(batch), target)
