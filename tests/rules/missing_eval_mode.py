import torch
from torch import nn


def validate(model, batches):
    total = 0.0
    with torch.no_grad():
        for x in batches:
            total += model(x).sum().item()  # expect: missing-eval-mode "model is in training mode here"
    return total


@torch.no_grad()
def predict(net, x):
    return net(x)  # expect: missing-eval-mode


batches = [torch.randn(4, 8)]
model = nn.Sequential(nn.Linear(8, 8, bias=False), nn.BatchNorm1d(8), nn.ReLU())
validate(model, batches)
predict(nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5)), batches[0])

# From here on everything is right.
plain = nn.Sequential(nn.Linear(8, 8), nn.ReLU())
with torch.no_grad():
    y = plain(batches[0])
    model(batches[0])
z = model(batches[0])
z.mean().backward()


@torch.no_grad()
def unknown(net, x):
    return net(x)
