import torch
from torch import nn

model, x = nn.Linear(4, 3), torch.randn(2, 4)
loss = model(x).argmax(1).float().mean()
loss.backward()  # expect: nondifferentiable-argmax "loss hangs on nothing that requires grad: backward raises"
with torch.no_grad():
    out = model(x)
out.sum().backward()  # expect: backward-without-graph "out.sum() hangs on nothing"
model(x).detach().sum().backward()  # expect: backward-without-graph
picked = model(x).detach().gather(1, model(x).argmax(1, keepdim=True))
picked.sum().backward()  # expect: backward-without-graph

# From here on everything is right.
model(x).sum().backward()
out = model(x)
with torch.no_grad():
    print(out.mean())
out.sum().backward()
x.requires_grad_()
x.sum().backward()


def train(network, batch):
    network(batch).sum().backward()


def closure(values):
    loss = values.sum()
    loss.backward()
    return loss
