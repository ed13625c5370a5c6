import torch
from torch import autograd, nn
from torch.autograd import Variable

net = nn.Linear(3, 1)
x = torch.ones(1, 3)  # expect: variable-wrapper "a Variable is a tensor since torch 0.4: torch.ones(1, 3) is the same"
w = torch.ones(3).detach().requires_grad_()  # expect: variable-wrapper "torch.ones(3).detach().requires_grad_() is the same"
loss = net(x).detach()  # expect: variable-wrapper "net(x).detach() is the same"


# From here on everything is right.
def right(rows):
    if isinstance(rows, Variable):
        return rows
    return torch.ones(3).requires_grad_(), Variable(*rows), net(x).detach()
