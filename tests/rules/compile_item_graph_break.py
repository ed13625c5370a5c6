import torch
from torch import nn


@torch.compile
def scaled(x):
    largest = x.abs().max().item()  # expect: compile-item-graph-break "the compiled graph ends here"
    return x / largest


@torch.compile(mode="reduce-overhead")
def listed(x):
    return sum(x.sum(0).tolist())  # expect: compile-item-graph-break


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        h = self.layer(x)
        scale = float(h.norm())  # expect: compile-item-graph-break "float(h.norm())"
        return h / scale


net = torch.compile(Net())


def norm(x: torch.Tensor):
    return x / x.norm().item()  # expect: compile-item-graph-break


fast_norm = torch.compile(norm)


# Right: outside of what is compiled, or sizes and settings.
@torch.compile
def right(x, scale):
    count = int(x.shape[0])
    return x / x.abs().max() * float(scale) / float(x.size(1)) + count


def plain(x):
    return x.sum().item()


print(right(torch.ones(2, 2), 1.0).sum().item(), plain(torch.ones(2)))


class Eager(nn.Module):
    def forward(self, x):
        return x / x.norm().item()


eager = Eager()
