import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8)
        self.main = nn.Linear(8, 2)
        self.aux = nn.Linear(8, 2)  # expect: ddp-unused-parameters "forward does not use self.aux, so DDP waits for its gradient for ever"

    def forward(self, x):
        return self.main(self.body(x).relu())


net = DDP(TwoHeads())


# From here on everything is right.
class Right(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8)
        self.main = nn.Linear(8, 2)

    def forward(self, x):
        return self.main(self.body(x).relu())


class Spare(nn.Module):
    def __init__(self):
        super().__init__()
        self.used = nn.Linear(4, 8)
        self.spare = nn.Linear(4, 8)

    def forward(self, x):
        return self.used(x)


class All(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 4)

    def forward(self, x):
        for layer in self.children():
            x = layer(x)
        return x


nets = [DDP(Right()), DDP(All()), DDP(Spare(), find_unused_parameters=True), nn.DataParallel(Spare())]
