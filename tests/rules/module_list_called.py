import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.ReLU()])
        self.heads = nn.ModuleDict({"a": nn.Linear(4, 1)})
        self.body = nn.Sequential(nn.Linear(4, 4))

    def forward(self, x):
        x = self.layers(x)  # expect: module-list-called "self.layers is a ModuleList, which has no forward: go through its modules"
        return self.heads(x)  # expect: module-list-called "self.heads is a ModuleDict, which has no forward: call one of them"

    def right(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.heads["a"](self.body(self.layers[0](x)))


class Chain(nn.ModuleList):
    def forward(self, x):
        for layer in self:
            x = layer(x)
        return x


chain = Chain([nn.Linear(4, 4)])
y = chain(torch.ones(2, 4))
