import torch
from torch import nn

model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(8, 3)
scaler = torch.amp.GradScaler("cpu")  # expect: gradscaler-with-bf16 "autocast computes in bfloat16, which needs no scaling"

for _ in range(2):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = model(x).mean()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()

# From here on everything is right.
off = torch.amp.GradScaler("cpu", enabled=False)
for _ in range(2):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = model(x).mean()
    off.scale(loss).backward()
    off.step(optimizer)
    off.update()
    optimizer.zero_grad()
