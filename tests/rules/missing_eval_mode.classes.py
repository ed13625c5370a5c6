import torch
from torch import nn


class Digits(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(16, 32)
        self.drop = nn.Dropout(0.3)
        self.head = nn.Linear(32, 10)

    def forward(self, x):
        return self.head(self.drop(self.body(x).relu()))

    @torch.no_grad()
    def guess(self, x):
        return self(x).argmax(1)


class Flat(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(16, 10)

    def forward(self, x):
        return self.head(x)


def fit(net, optimizer, batches):
    net.train()
    for x, y in batches:
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()


@torch.no_grad()
def hits(net, batches):
    found = 0
    for x, y in batches:
        found += (net(x).argmax(1) == y).sum().item()  # expect: missing-eval-mode "net is in training mode here"
    return found


@torch.no_grad()
def scores(net, batches):
    return [net(x) for x, _ in batches]


batches = [(torch.randn(4, 16), torch.randint(10, (4,)))]
digits = Digits()
fit(digits, torch.optim.SGD(digits.parameters(), lr=0.1), batches)
hits(digits, batches)
scores(Flat(), batches)
