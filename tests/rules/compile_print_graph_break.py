import torch
from torch import nn


class Mixer(nn.Module):
    def forward(self, x):
        print("hidden", x.shape)  # expect: compile-print-graph-break "print breaks the compiled graph in two"
        return x * 2


@torch.compile
def double(x):
    print(x.shape)  # expect: compile-print-graph-break
    return x * 2


model = torch.compile(Mixer())


# From here on everything is right.
class Eager(nn.Module):
    def forward(self, x):
        print("hidden", x.shape)
        return x * 2


class Guarded(nn.Module):
    def forward(self, x):
        if not torch.compiler.is_compiling():
            print("hidden", x.shape)
        return x * 2

    def describe(self):
        print("a mixer")


eager, guarded = Eager(), torch.compile(Guarded())
print(guarded(torch.ones(3)))
