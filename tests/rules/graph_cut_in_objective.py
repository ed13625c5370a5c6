import numpy as np
import torch
import torch.nn.functional as F
from scipy import ndimage
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



def with_numpy():
    guess = net(x).detach().cpu().numpy()  # expect: graph-cut-in-objective "leaves the graph behind"
    error = np.mean((guess - np.zeros_like(guess)) ** 2)
    loss = torch.tensor(error, requires_grad=True)
    loss.backward()


def between():
    smooth = torch.from_numpy(ndimage.gaussian_filter(net(x).detach().numpy(), 1))  # expect: graph-cut-in-objective
    loss = F.mse_loss(smooth, torch.zeros(4))
    loss.backward()


def added():
    extra = torch.from_numpy(np.abs(net(x).data.numpy())).mean()  # expect: graph-cut-in-objective
    (F.mse_loss(net(x), y) + extra).backward()


# From here on everything is right.
def weighted():
    weights = torch.from_numpy(1 / (1 + np.abs(net(x).detach().numpy())))
    loss = (weights * (net(x) - y) ** 2).mean() + F.mse_loss(net(x), weights)
    loss.backward()


def of_data(path):
    target = torch.from_numpy(np.load(path))
    loss = F.mse_loss(net(x), target) + F.mse_loss(target, y)
    loss.backward()


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
