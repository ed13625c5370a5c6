"""Training step in mixed precision, with clipped gradients; float16 needs the scaler, bfloat16 does not.

stops: torch.float16, model, loader, optimizer, loss_fn, 1.0
"""

import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

# given:
loader = DataLoader(TensorDataset(torch.randn(12, 4), torch.randint(3, (12,))), batch_size=5, shuffle=True)
model = nn.Linear(4, 3)
optimizer, loss_fn = optim.SGD(model.parameters(), lr=0.1), nn.CrossEntropyLoss()

# snippet:
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model.to(device)
model.train()
scaler = torch.amp.GradScaler(device.type)
for inputs, targets in loader:
    inputs, targets = inputs.to(device), targets.to(device)
    optimizer.zero_grad()
    with torch.autocast(device.type, dtype=torch.float16):
        loss = loss_fn(model(inputs), targets)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
    scaler.step(optimizer)
    scaler.update()
