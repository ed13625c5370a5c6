import torch
from torch import nn

model = nn.Linear(3, 2)
out = model(torch.randn(8, 3))
print(f"output {out:.3f}")  # expect: list-formatted-as-number "out has 2 axes (8, 2) and no format .3f"
losses = nn.MSELoss(reduction="none")(out, torch.zeros(8, 2))
print(f"loss {losses.mean(dim=0):.3f}")  # expect: list-formatted-as-number

# From here on everything is right.
print(f"loss {losses.mean():.3f} {losses.mean().item():.3f} {out} {out.shape} {out[0, 0]:.3f}")
print(f"sizes {out.shape[0]:d} {out.size(1):3d}")


def show(x):
    print(f"{x:.3f}")
    return nn.Linear(4, 2)(x)
