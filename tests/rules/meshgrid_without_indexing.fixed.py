import torch
from torch import meshgrid

a, b = torch.arange(2), torch.arange(3)
y, x = torch.meshgrid(a, b, indexing="ij")  # expect: meshgrid-without-indexing "torch takes "
y, x = torch.meshgrid([a, b], indexing="ij")  # expect: meshgrid-without-indexing
y, x = meshgrid(  # expect: meshgrid-without-indexing
    a,  # a comment
    b, indexing="ij",
)
y, x = torch.meshgrid(*[a, b], indexing="ij")  # expect: meshgrid-without-indexing
grid = torch.meshgrid(tuple(torch.arange(n) for n in (2, 3)), indexing="ij")  # expect: meshgrid-without-indexing

# From here on everything is right.
y, x = torch.meshgrid(a, b, indexing="ij")
y, x = torch.meshgrid([a, b], indexing="xy")
options = {"indexing": "ij"}
y, x = torch.meshgrid(a, b, **options)
import numpy as np

u, v = np.meshgrid(np.arange(2), np.arange(3))


def grid_of(first, second):
    if tuple(map(int, torch.__version__.split(".")[:2])) >= (1, 10):
        return torch.meshgrid(first, second, indexing="ij")
    return torch.meshgrid(first, second)


class Points:
    def meshgrid(self, *rows):
        return rows


Points().meshgrid(a, b)
