import itertools

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.randn(40, 3), torch.randn(40, 1))
loader = DataLoader(data, batch_size=8, shuffle=True)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

for step in range(10):
    x, y = next(iter(loader))  # expect: loader-restarted-each-step "every turn starts loader anew and takes its first batch only"
    optimizer.zero_grad()
    (model(x) - y).pow(2).mean().backward()
    optimizer.step()

for (x, y), other in zip(itertools.cycle(loader), loader):  # expect: loader-in-cycle "cycle keeps all batches of loader in memory"
    print(x.shape)

# From here on everything is right.
sample, _ = next(iter(loader))
for step in range(3):
    shown, _ = next(iter(loader))
    print(shown.shape)

batches = iter(loader)
for step in range(3):
    x, y = next(batches)
    optimizer.zero_grad()
    (model(x) - y).pow(2).mean().backward()
    optimizer.step()

for size in (4, 8):
    made = DataLoader(data, batch_size=size)
    x, y = next(iter(made))
    optimizer.zero_grad()
    (model(x) - y).pow(2).mean().backward()
    optimizer.step()

colours = itertools.cycle(["red", "green"])
