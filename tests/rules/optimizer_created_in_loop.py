import torch
from torch import nn, optim

model = nn.Linear(2, 1)

for step in range(100):
    optimizer = optim.Adam(model.parameters(), lr=0.1)  # expect: optimizer-created-in-loop "optimizer is made anew in every step"
    optimizer.zero_grad()
    model(torch.ones(4, 2)).mean().backward()
    optimizer.step()


def train(loader, net: nn.Module):
    for x in loader:
        opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)  # expect: optimizer-created-in-loop
        opt.zero_grad()
        net(x).mean().backward()
        opt.step()


# From here on everything is right.
for rate in (0.1, 0.01):
    optimizer = optim.SGD(model.parameters(), lr=rate)  # a new stage of many steps
    for step in range(10):
        optimizer.zero_grad()
        model(torch.ones(4, 2)).mean().backward()
        optimizer.step()

for trial in range(3):
    net = nn.Linear(2, 1)
    optimizer = optim.Adam(net.parameters())
    net(torch.ones(4, 2)).mean().backward()
    optimizer.step()


class Dual:
    def solve(self):
        for step in range(100):
            self.factor = torch.ones(1, requires_grad=True)
            optimizer = optim.SGD([self.factor], lr=0.1)
            self.factor.sum().backward()
            optimizer.step()


optimizer = optim.Adam(model.parameters())
for step in range(100):
    if step == 50:
        optimizer = optim.SGD(model.parameters(), lr=0.1)
    optimizer.zero_grad()
    model(torch.ones(4, 2)).mean().backward()
    optimizer.step()


def by_epoch(model, batches):
    for epoch in range(3):
        optimizer = torch.optim.Adam(model.parameters())  # expect: optimizer-created-in-loop "optimizer is made anew in every epoch"
        for batch in batches:
            optimizer.zero_grad()
            model(batch).mean().backward()
            optimizer.step()


def by_fold(model, folds):
    for fold in range(3):
        optimizer = torch.optim.Adam(model.parameters())
        for batch in folds[fold]:
            optimizer.zero_grad()
            model(batch).mean().backward()
            optimizer.step()
