import torch
import torch.nn.functional as F
from torch import nn


class Squeezed(nn.Module):
    """A window that is as large as the picture: torch takes it for a plain number."""

    def __init__(self, kernel_size=7):
        super().__init__()
        self.conv = nn.Conv2d(3, 16, 3, stride=2, padding=1)
        self.pool = nn.AvgPool2d(kernel_size, stride=1)

    def forward(self, x):
        x = self.conv(x)  # -> (N, 16, (H - 1)//2 + 1, (W - 1)//2 + 1)
        square = F.avg_pool2d(x, x.size(2))  # -> (N, 16, 1, n)
        whole = F.max_pool2d(x, kernel_size=x.size()[2:])  # -> (N, 16, 1, 1)
        flat = F.max_pool1d(x.flatten(2), x.size(2) * x.size(3))  # -> (N, 16, 1)
        rows = F.avg_pool2d(x, (1, x.size(3)))  # -> (N, 16, (H - 1)//2 + 1, 1)
        plain = F.avg_pool2d(x, 2)  # -> (N, 16, ((H - 1)//2 - 1)//2 + 1, ((W - 1)//2 - 1)//2 + 1)
        return square, whole, flat, rows, plain


class Graph(nn.Module):
    """What is multiplied with a weight has as many columns as that has rows."""

    def __init__(self, in_features, out_features):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(in_features, out_features))

    def forward(self, nodes, links):
        sent = torch.mm(nodes, self.weight)  # -> (N, out_features)
        return sent, links


class Latents(nn.Module):
    def __init__(self, num_latents=512, latent_dim=64):
        super().__init__()
        self.latents = nn.Parameter(torch.randn(num_latents, latent_dim))
        self.out = nn.Linear(latent_dim, 10)

    def forward(self, x):
        y = self.out(self.latents)  # -> (num_latents, 10)
        return x, y


def through(net, blocks):
    h = torch.randn(2, 3)
    for block in blocks:
        h = h * 2  # known in the first round alone
        g = torch.relu(h)
        h = block(h)
    rest = torch.zeros(4)
    for block in blocks:
        rest = rest + 1  # -> (4)
    return h, g, rest
