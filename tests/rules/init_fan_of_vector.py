import torch
from torch import nn
from torch.nn.init import kaiming_normal_

layer = nn.Linear(4, 2)
nn.init.xavier_uniform_(layer.bias)  # expect: init-fan-of-vector "layer.bias has a single axis, and xavier_uniform_ needs two"
kaiming_normal_(layer.bias, nonlinearity="relu")  # expect: init-fan-of-vector
nn.init.orthogonal_(layer.bias.data)  # expect: init-fan-of-vector


def start(module):
    if isinstance(module, (nn.Conv2d, nn.Linear)):
        nn.init.kaiming_normal_(module.weight)
    elif isinstance(module, nn.BatchNorm2d):
        nn.init.xavier_normal_(module.weight)  # expect: init-fan-of-vector
        nn.init.xavier_normal_(module.bias)  # expect: init-fan-of-vector


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 4)

    def forward(self, x):
        return self.first(x)


net = Net()
for weight in net.parameters():
    nn.init.xavier_uniform_(weight)  # expect: init-fan-of-vector "a bias has a single axis"
for name, weight in nn.Sequential(nn.Conv2d(3, 4, 1), nn.ReLU()).named_parameters():
    nn.init.kaiming_normal_(weight.data)  # expect: init-fan-of-vector


# From here on everything is right.
nn.init.xavier_uniform_(layer.weight)
nn.init.zeros_(layer.bias)
nn.init.normal_(layer.bias, std=0.1)
nn.init.xavier_uniform_(layer.bias.unsqueeze(0))
nn.init.kaiming_uniform_(nn.Conv1d(3, 4, 3).weight)
nn.init.xavier_uniform_(nn.LayerNorm((4, 4)).weight)
nn.init.xavier_uniform_(nn.Embedding(10, 4).weight)
for name, weight in layer.named_parameters():
    if weight.dim() > 1:
        nn.init.xavier_uniform_(weight)
try:
    nn.init.xavier_uniform_(layer.bias)
except ValueError:
    pass
for weight in net.parameters():
    if weight.ndim < 2:
        continue
    nn.init.xavier_uniform_(weight)
for weight in net.parameters():
    nn.init.normal_(weight)
for name, weight in net.named_parameters():
    if "weight" in name:
        nn.init.xavier_uniform_(weight)
for weight in nn.Embedding(4, 2).parameters():
    nn.init.xavier_uniform_(weight)


def all_of(model):
    for weight in model.parameters():
        nn.init.xavier_uniform_(weight)
