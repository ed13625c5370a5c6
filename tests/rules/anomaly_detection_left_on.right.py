import argparse

import torch
from torch import nn

options = argparse.ArgumentParser().parse_args()
torch.autograd.set_detect_anomaly(options.debug)
if options.debug:
    torch.autograd.set_detect_anomaly(True)
torch.autograd.set_detect_anomaly(False)
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    optimizer.zero_grad()
    loss = model(torch.ones(4, 2)).mean()
    if not torch.isfinite(loss):
        with torch.autograd.detect_anomaly():
            model(torch.ones(4, 2)).mean().backward()
    else:
        loss.backward()
    optimizer.step()
with torch.autograd.detect_anomaly():
    model(torch.ones(4, 2)).mean().backward()
optimizer.zero_grad  # expect: method-not-called
