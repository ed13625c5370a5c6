"""Training loop, with the mean loss of each epoch.

stops: model, 10, loader, device, optimizer, loss_fn
"""

import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

# given:
device = torch.device("cpu")
loader = DataLoader(TensorDataset(torch.randn(12, 4), torch.randint(3, (12,))), batch_size=5, shuffle=True)
model = nn.Linear(4, 3)
optimizer, loss_fn = optim.SGD(model.parameters(), lr=0.1), nn.CrossEntropyLoss()

# snippet:
model.train()
for epoch in range(10):
    total, seen = 0.0, 0
    for inputs, targets in loader:
        inputs, targets = inputs.to(device), targets.to(device)
        optimizer.zero_grad()
        loss = loss_fn(model(inputs), targets)
        loss.backward()
        optimizer.step()
        total += loss.detach() * len(inputs)
        seen += len(inputs)
    print(f"epoch {epoch + 1}: loss {total / seen:.4f}")
