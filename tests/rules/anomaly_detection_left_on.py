import torch
from torch import nn

torch.autograd.set_detect_anomaly(True)  # expect: anomaly-detection-left-on "leave it on only while you search a NaN"
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    optimizer.zero_grad()
    model(torch.ones(4, 2)).mean().backward()
    optimizer.step()
