import random

import numpy as np
import torch
from torch import nn


def set_seed(seed):
    torch.manual_seed(seed)  # expect: assigned-over-function "torch.manual_seed is a function, and this puts a value in its place: call torch.manual_seed(seed)"
    np.random.seed(7)  # expect: assigned-over-function
    random.seed(7)  # expect: assigned-over-function


model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
optimizer.lr = 0.01  # expect: optimizer-lr-attribute "optimizer has no lr, and nothing reads this one: set group['lr'] of each group in optimizer.param_groups"


def slower(opt, rate):
    opt.learning_rate = rate  # expect: optimizer-lr-attribute


slower(optimizer, 0.1)

# From here on everything is right.
torch.manual_seed(7)
torch.backends.cudnn.benchmark = False
original = torch.manual_seed
torch.manual_seed = original
torch.manual_seed = lambda seed: None
model.lr = 0.1
for group in optimizer.param_groups:
    group["lr"] = 0.01


class Annealed(torch.optim.SGD):
    def anneal(self):
        self.lr = 0.1


mine = Annealed(model.parameters(), lr=0.1)
mine.lr = 0.2
