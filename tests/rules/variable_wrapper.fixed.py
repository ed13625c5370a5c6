import numpy as np
import torch
from torch import autograd, nn
from torch.autograd import Variable

net = nn.Linear(3, 1)
x = torch.ones(1, 3)  # expect: variable-wrapper "a Variable is a tensor since torch 0.4: torch.ones(1, 3) is the same"
w = torch.ones(3).requires_grad_()  # expect: variable-wrapper "torch.ones(3).requires_grad_() is the same"
again = w.detach().requires_grad_()  # expect: variable-wrapper "w.detach().requires_grad_() is the same"
Tensor = torch.cuda.FloatTensor if torch.cuda.is_available() else torch.FloatTensor
valid = Tensor(x.shape[0], 1).fill_(1.0)  # expect: variable-wrapper "Tensor(x.shape[0], 1).fill_(1.0) is the same"
noise = Tensor(np.random.normal(0, 1, (x.size(0), 3)))  # expect: variable-wrapper "Tensor(np.random.normal(0, 1, (x.size(0), 3))) is the same"
copied = torch.FloatTensor(loss_of(w)).detach()  # expect: variable-wrapper "torch.FloatTensor(loss_of(w)).detach() is the same"; legacy-tensor-constructor
cut = torch.ones(3, requires_grad=True).detach()  # expect: variable-wrapper "torch.ones(3, requires_grad=True).detach() is the same"
filled = torch.ones(3).fill_(w.sum()).detach()  # expect: variable-wrapper "torch.ones(3).fill_(w.sum()).detach() is the same"
rows = torch.zeros(  # expect: variable-wrapper "torch.zeros(4, 3) is the same"
    4, 3
)
loss = net(x).detach()  # expect: variable-wrapper "net(x).detach() is the same"


# From here on everything is right.
def right(rows):
    if isinstance(rows, Variable):
        return rows
    return torch.ones(3).requires_grad_(), Variable(*rows), net(x).detach()
