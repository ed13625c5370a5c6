import torch
import torch.nn.functional as F
from torch import nn

net, features = nn.Linear(3, 1), nn.Linear(1, 1)
x, y = torch.randn(8, 3), torch.randn(8, 1)

fit = F.mse_loss(net(x), y)
penalty = net.weight.abs().sum()
(fit + 0.1 * penalty.item()).backward()  # expect: graph-cut-in-objective "penalty.item() is a number, so nothing learns from this part of the loss: add penalty itself"


def objective(inputs):
    score = net(inputs).mean()
    total = score.item() - 0.01 * net.weight.pow(2).sum()  # expect: graph-cut-in-objective
    return total, score


total, _ = objective(x)
total.backward()


def copied():
    parts = torch.tensor([fit.item(), penalty.item()], requires_grad=True)  # expect: graph-cut-in-objective "torch.tensor copies the values and leaves their graph"
    return parts.sum()


copied().backward()

# From here on everything is right.
fit = F.mse_loss(net(x), y)
(fit + 0.1 * net.weight.abs().sum()).backward()
print(fit.item() + penalty.item())
scale = fit.item() / penalty.item()
loss = F.mse_loss(net(x), y) * scale
loss.backward()
loss = F.mse_loss(net(x), y) * penalty.item()
loss.backward()
leaf = torch.tensor([1.0, 2.0], requires_grad=True)
leaf.sum().backward()
running = 0.0
for _ in range(3):
    loss = F.mse_loss(net(x), y)
    loss.backward()
    running += loss.item()
with torch.no_grad():
    target = features(y)
loss = F.mse_loss(net(x), target)
loss.backward()
with torch.no_grad():
    weight = 1 / (1 + penalty)
loss = F.mse_loss(net(x), y) * weight
loss.backward()
loss = torch.stack([fit, penalty]).sum()
