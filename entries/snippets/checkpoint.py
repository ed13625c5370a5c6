"""Save a checkpoint to go on from, and load it.

stops: "checkpoint.pt", model, optimizer, epoch
"""

import torch
from torch import nn, optim

# given:
model, epoch = nn.Linear(4, 3), 2
optimizer = optim.AdamW(model.parameters())

# snippet:
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}, "checkpoint.pt")

checkpoint = torch.load("checkpoint.pt", map_location="cpu", weights_only=True)
model.load_state_dict(checkpoint["model"])
optimizer.load_state_dict(checkpoint["optimizer"])
first_epoch = checkpoint["epoch"] + 1

# check:
assert first_epoch == 3
