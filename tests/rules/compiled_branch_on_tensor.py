import torch
from torch import nn


@torch.compile(fullgraph=True)
def clip(x, limit=3.0):
    peak = x.abs().max()
    if peak > limit:  # expect: compiled-branch-on-tensor "the compiler cannot follow a branch on a value"
        return x * (limit / peak)
    return x


class Scale(nn.Module):
    def forward(self, x):
        if x.sum() > 0:  # expect: compiled-branch-on-tensor "the trace keeps the branch that its example takes"
            return x * 2
        while not (x > 3).all():  # expect: compiled-branch-on-tensor
            x = x + 1
        return x


traced = torch.jit.trace(Scale(), torch.ones(3))  # expect: deprecated-api "use torch.compile"


# From here on everything is right.
@torch.compile(fullgraph=True)
def right(x, flag, sizes=None):
    if x.shape[0] > 3 or x.dim() == 2 or flag:
        return x
    if sizes is None:
        return x + 1
    return torch.where(x.sum() > 0, x * 2, x)


@torch.compile
def broken_graph(x):
    if x.sum() > 0:
        return x * 2
    return x


class Eager(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x * 2
        return x


class Checked(nn.Module):
    def forward(self, x):
        if len(x) > 3 and self.training:
            return x * 2
        return x


model = Eager()
traced = torch.jit.trace(Checked(), torch.ones(3))  # expect: deprecated-api "use torch.compile"
