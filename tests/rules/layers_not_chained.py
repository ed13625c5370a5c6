import torch
from torch import nn


class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        for layer in self.layers:
            out = layer(x)  # expect: layers-not-chained "each layer gets x, and out is only what the last one made of it: x = layer(x)"
        return self.head(out)


# From here on everything is right.
class Chained(Deep):
    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


class Started(Deep):
    def forward(self, x):
        out = x
        for layer in self.layers:
            out = layer(out)
        return self.head(out)


class Added(Deep):
    def forward(self, x):
        out = 0
        for layer in self.layers:
            out = out + layer(x)
        return self.head(out)


class Listed(Deep):
    def forward(self, x):
        outs = []
        for layer in self.layers:
            out = layer(x)
            outs.append(out)
        return self.head(torch.stack(outs).sum(0))


class States(Deep):
    def forward(self, x, states):
        for layer in self.layers:
            x, states = layer(x), states
        return x


class Looked(Deep):
    def forward(self, x):
        for layer in self.layers:
            last = layer
        return last(x)


class Captured(Deep):
    """What each layer gives is taken by what decorates the method."""

    @captured
    def forward(self, x):
        for layer in self.layers:
            out = layer(x)
        return self.head(out)


def walk(blocks, x):
    for block in blocks:
        out = block(x)
    return out


net = Deep()
