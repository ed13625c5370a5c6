import torch
import torch.nn.functional as F
from torch import nn

x, y, classes = torch.randn(5, 3), torch.randn(5, 3), torch.randint(0, 3, (5,))
criterion = nn.CrossEntropyLoss()
each = nn.CrossEntropyLoss(reduction="none")

loss = criterion(x, classes)
total = loss.data[0]  # expect: scalar-tensor-indexed "loss is a single number and cannot be indexed: use loss.item()"
loss = F.mse_loss(x, y)
total += loss[0]  # expect: scalar-tensor-indexed

# From here on everything is right.
total += loss.item()
losses = each(x, classes)
total += losses[0].item()
losses = F.mse_loss(x, y, reduction="none")
total += losses.data[0].sum()
total += x.data[0].sum()


def evaluate(model, criterion):
    loss = criterion(model(x), classes)
    return loss[0]


def pair(model):
    loss = model(x), 1
    return loss[0]
