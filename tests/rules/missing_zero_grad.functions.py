import torch
from torch import nn


def epoch(model, optimizer, batches):
    optimizer.zero_grad()  # expect: zero-grad-outside-batch-loop "optimizer.zero_grad() runs once for all turns of this loop"
    for x in batches:
        loss = model(x).pow(2).mean()
        loss.backward()
        optimizer.step()


def whole(model, optimizer, batches):
    """All of the data makes one step."""
    for x in batches:
        model(x).pow(2).mean().backward()
    optimizer.step()


def one(model, optimizer, batches):
    for x in batches:
        model(x).pow(2).mean().backward()
        optimizer.step()
        break


net = nn.Linear(3, 1)
epoch(net, torch.optim.SGD(net.parameters(), lr=0.1), [torch.randn(4, 3)])
