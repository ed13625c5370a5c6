import torch
from torch import nn

x = torch.zeros(3, requires_grad=True)
y = torch.where(x > 0, torch.sqrt(x), torch.zeros_like(x))  # expect: where-nan-gradient "0 * inf is NaN: make x safe first"
z = torch.where(x <= 0, torch.tensor(0.0), x.log())  # expect: where-nan-gradient
q = torch.where(x != 0, 1 / x, 0.0)  # expect: where-nan-gradient
r = torch.sqrt(x).masked_fill(x == 0, 0.0)  # expect: where-nan-gradient
mask = x > 1e-8
p = torch.where(mask, x**0.5, 0 * x)  # expect: where-nan-gradient


class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, features):
        squared = self.layer(features).pow(2).sum(-1)
        return torch.where(squared > 0, squared.sqrt(), torch.zeros_like(squared))  # expect: where-nan-gradient


def safe_sqrt(t):
    root = torch.sqrt(t)
    return torch.where(t > 0, root, torch.zeros_like(t))  # expect: where-nan-gradient


safe_sqrt(x).sum().backward()


# Right: the argument is made safe, or nothing learns.
def right(mask_of, counts):
    safe = torch.where(x > 0, x, torch.ones_like(x))
    a = torch.where(x > 0, torch.sqrt(safe), torch.zeros_like(x))
    b = torch.where(x > 0, torch.sqrt(x.clamp(min=1e-8)), torch.zeros_like(x))
    c = torch.where(x > 0, x, 0 * x)
    d = torch.where(x > 0, torch.exp(x), x**2)
    e = torch.where(mask_of(x), torch.sqrt(x), 0 * x)
    f = torch.where(x > 0, 0 * x, torch.sqrt(x + 1))
    with torch.no_grad():
        g = torch.where(x > 0, torch.sqrt(x), 0 * x)
    data = torch.rand(3)
    h = torch.where(data > 0, data.log(), torch.zeros(3))
    i = torch.where(counts > 0, 1 / counts, torch.zeros_like(counts))
    return a, b, c, d, e, f, g, h, i
