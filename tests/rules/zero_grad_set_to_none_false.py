import torch
from torch import nn

model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in torch.randn(4, 8, 3):
    optimizer.zero_grad(set_to_none=False)  # expect: zero-grad-set-to-none-false "zero_grad() alone drops them"
    model(x).mean().backward()
    optimizer.step()


class Trainer:
    def __init__(self, net: nn.Module, optimizer: torch.optim.Optimizer):
        self.net, self.optimizer = net, optimizer

    def step(self, x):
        self.net.zero_grad(False)  # expect: zero-grad-set-to-none-false
        self.net(x).mean().backward()
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=False)  # expect: zero-grad-set-to-none-false


# Right.
def right(flag, own):
    optimizer.zero_grad()
    optimizer.zero_grad(set_to_none=True)
    optimizer.zero_grad(True)
    optimizer.zero_grad(set_to_none=flag)
    own.zero_grad(set_to_none=False)
