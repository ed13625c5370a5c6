import torch
from torch import nn


def learn(net, optimizer, batches):
    for x in batches:
        optimizer.zero_grad()
        net(x).mean().backward()
        optimizer.step()


def judge(net, x):
    net.eval()
    with torch.no_grad():
        return net(x).mean().item()


def run(epochs):
    net = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(epochs):
        learn(net, optimizer, [torch.randn(2, 3)])
        judge(net, torch.randn(2, 3))  # expect: train-mode-not-restored "after judge(net, torch.randn(2, 3)) the network stays in eval mode"


def run_backwards(epochs):
    """Evaluated once more after the last turn, and before anything is learnt in the next."""
    net = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(epochs):
        learn(net, optimizer, [torch.randn(2, 3)])
    judge(net, torch.randn(2, 3))


class Runner:
    def __init__(self, model, optimizer):
        self.model = model
        self.optimizer = optimizer

    def epoch(self, batches):
        for x in batches:
            self.optimizer.zero_grad()
            self.model(x).mean().backward()
            self.optimizer.step()

    def check(self, x):
        self.model.eval()
        with torch.no_grad():
            return self.model(x).mean().item()

    def fit(self, batches):
        for _ in range(3):
            self.epoch(batches)
            print(self.check(batches[0]))  # expect: train-mode-not-restored "after self.check(batches[0])"
