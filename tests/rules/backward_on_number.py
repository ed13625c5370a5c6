import torch
import torch.nn.functional as F
from torch import nn

model = nn.Linear(3, 1)
x, y = torch.randn(4, 3), torch.randn(4, 1)
loss = F.mse_loss(model(x), y).item()
loss.backward()  # expect: backward-on-number "loss is a plain number, for item() has taken it out of the tensor"
F.mse_loss(model(x), y).item().backward()  # expect: backward-on-number
rate = float(model(x).mean())
rate.backward()  # expect: backward-on-number "for float() has taken it out"

# From here on everything is right.
cost = F.mse_loss(model(x), y)
cost.backward()
cost = cost.item()
shown = model(x).mean()
shown.float().backward()
