import torch
import torch.nn.functional as F
from torch import nn

layer = nn.Linear(3, 3)
x = torch.randn(8, 3)
h = layer(x)
distance = (h[:, None] - h[None, :]).pow(2).sum(-1) ** 0.5  # expect: sqrt-grad-at-zero "the distance of each row to itself is 0"
rmse = torch.sqrt(F.mse_loss(layer(x), x))  # expect: sqrt-grad-at-zero "where the squares are all 0"
lengths = torch.sqrt((layer(x) ** 2).sum(-1))  # expect: sqrt-grad-at-zero


def pairwise(batch):
    z = layer(batch)
    apart = z.unsqueeze(0) - z.unsqueeze(1)
    squared = apart.pow(2).sum(-1)
    return squared.sqrt()  # expect: sqrt-grad-at-zero "torch.cdist"


class Contrastive(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 2)

    def forward(self, batch):
        z = self.net(batch)
        among = torch.sqrt(((z[:, None] - z[None, :]) ** 2).sum(-1))  # expect: sqrt-grad-at-zero ; manual-cdist
        return among.mean()

    def length(self, batch):
        return self.net(batch).square().sum(-1).sqrt()  # expect: sqrt-grad-at-zero "torch.linalg.vector_norm gives 0"


# Right: what makes zeros itself stops the gradient there.
torch.relu(layer(x)).sqrt().sum().backward()
layer(x).clamp(min=0).sqrt().sum().backward()

# Right: something is added, clamped to more than 0, or nothing learns.
(torch.relu(layer(x)) + 1e-8).sqrt().sum().backward()
layer(x).clamp(min=1e-6).sqrt().sum().backward()
layer(x).exp().sqrt().sum().backward()
torch.sqrt(layer(x).pow(2).sum(-1) + 1e-12).sum().backward()
torch.linalg.vector_norm(layer(x), dim=-1).sum().backward()
torch.relu(x).sqrt()
(x**2).sum(-1).sqrt()
with torch.no_grad():
    torch.relu(layer(x)).sqrt()
torch.relu(layer(x)).pow(2)


def right(a, b, variance):
    z = layer(a)
    return torch.sqrt(variance), z.std(), torch.cdist(z, z), (z.detach() ** 2).sum(-1).sqrt()
