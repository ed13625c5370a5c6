import torch
import torch.nn.functional as F


def rows(x: torch.Tensor) -> torch.Tensor:
    n, d = x.shape
    return x / x.sum(dim=1, keepdim=True)  # expect: reduction-missing-keepdim "x is (n, d) and x.sum(dim=1) (n,), without axis 1"


square = torch.rand(6, 6)
shares = square / square.sum(dim=1, keepdim=True)  # expect: reduction-missing-keepdim "give keepdim=True to sum"
centred = square - square.mean(-1, keepdim=True)  # expect: reduction-missing-keepdim
sharp = torch.exp(square - square.max(dim=1).values)  # expect: reduction-missing-keepdim
unit = square / (square.norm(dim=1) + 1e-8)  # expect: reduction-missing-keepdim
totals = square.sum(1)
degrees = square / totals  # expect: reduction-missing-keepdim
exponentials = square.exp()
softmax = exponentials / exponentials.sum(dim=-1, keepdim=True)  # expect: reduction-missing-keepdim
cube = torch.rand(4, 4, 4)
weights = cube / cube.sum(dim=2, keepdim=True)  # expect: reduction-missing-keepdim

# From here on everything is right.
shares = square / square.sum(dim=1, keepdim=True)
shares = square / square.sum(dim=1)[:, None]
shares = square / square.sum(1).unsqueeze(1)
columns = square / square.sum(dim=0)
centred = square - square.mean(0)
scaled = square / square.sum()
scaled = square / square.mean((0, 1))
other = square / torch.rand(6, 6).sum(dim=1)
row = square[:1] / square[:1].sum(dim=1)
turned = (square.T / square.sum(dim=1)).T
degree = square.sum(dim=1)
laplacian = torch.diag(degree) - square
normal = F.normalize(square, dim=1)
