"""Gradient accumulation: several batches for one step of the optimizer.

stops: 4, model, loader, device, optimizer, loss_fn
"""

import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

# given:
device = torch.device("cpu")
loader = DataLoader(TensorDataset(torch.randn(24, 4), torch.randint(3, (24,))), batch_size=5, shuffle=True)
model = nn.Linear(4, 3)
optimizer, loss_fn = optim.SGD(model.parameters(), lr=0.1), nn.CrossEntropyLoss()

# snippet:
accumulated = 4
model.train()
optimizer.zero_grad()
for number, (inputs, targets) in enumerate(loader, start=1):
    inputs, targets = inputs.to(device), targets.to(device)
    loss = loss_fn(model(inputs), targets) / accumulated
    loss.backward()
    if number % accumulated == 0 or number == len(loader):
        optimizer.step()
        optimizer.zero_grad()
