import torch
from torch import autocast, nn

model = nn.Linear(3, 1)
x = torch.randn(8, 3)

with torch.autocast("cpu", dtype=torch.bfloat16):
    loss = model(x).mean()
    loss.backward()  # expect: backward-under-autocast "loss.backward runs under autocast, which is for the forward"

for _ in range(2):
    with autocast("cpu"):
        for part in x:
            model(part).mean().backward()  # expect: backward-under-autocast

# From here on everything is right.
with torch.autocast("cpu", dtype=torch.bfloat16):
    loss = model(x).mean()
loss.backward()

with torch.autocast("cpu", enabled=False):
    model(x).mean().backward()

with torch.autocast("cpu"):

    def later(loss):
        loss.backward()

    loss = model(x).mean()
    with torch.autocast("cpu", enabled=False):
        loss.backward()

with torch.no_grad():
    y = model(x)


def sometimes(use_amp):
    with torch.autocast("cpu", enabled=use_amp):
        model(x).mean().backward()  # expect: backward-under-autocast
