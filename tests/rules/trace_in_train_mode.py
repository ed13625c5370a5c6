import torch
from torch import nn

x = torch.randn(1, 6)
net = nn.Sequential(nn.Linear(6, 6), nn.Dropout(0.5))
traced = torch.jit.trace(net, x)  # expect: trace-in-train-mode "net is in training mode"; deprecated-api
normed = nn.Sequential(nn.Linear(6, 6, bias=False), nn.BatchNorm1d(6))
traced = torch.jit.trace(normed, x)  # expect: trace-in-train-mode; deprecated-api

# From here on everything is right.
plain = nn.Sequential(nn.Linear(6, 6), nn.ReLU())
traced = torch.jit.trace(plain, x)  # expect: deprecated-api "use torch.compile"


def export(model):
    return torch.jit.trace(model, x)  # expect: deprecated-api "use torch.compile"


def double(x):
    return x * 2


traced = torch.jit.trace(double, x)  # expect: deprecated-api "use torch.compile"
