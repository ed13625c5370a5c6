import torch
from torch import nn

model, ema = nn.Linear(2, 2), nn.Linear(2, 2)
for average, p in zip(ema.parameters(), model.parameters()):
    average = 0.99 * average + 0.01 * p  # expect: update-rebinds-loop-variable "this gives the name average another value and leaves the parameter as it is"
for weight in model.parameters():
    weight = weight.clamp(-1, 1)  # expect: update-rebinds-loop-variable "as with weight.copy_(…)"

# From here on everything is right.
with torch.no_grad():
    for average, p in zip(ema.parameters(), model.parameters()):
        average.mul_(0.99).add_(p, alpha=0.01)
        average.data = 0.5 * average
norms = []
for value in model.parameters():
    value = value.detach().flatten()
    norms.append(value.norm())
total = 0
for name, entry in model.named_parameters():
    total = total + entry.numel()
for number in range(3):
    number = number + 1
