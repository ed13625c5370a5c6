import torch
from torch import nn, optim

model = nn.Linear(4, 2)
optimizer = optim.Adam(model.parameters(), lr=0.1, foreach=False)  # expect: optimizer-foreach-disabled "leave it out, or give Adam fused=True"
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, foreach=False)  # expect: optimizer-foreach-disabled

# From here on everything is right.
many = False
optimizer = optim.Adam(model.parameters(), fused=True)
optimizer = optim.Adam(model.parameters(), fused=True, foreach=False)
optimizer = optim.Adam(model.parameters(), foreach=True)
optimizer = optim.Adam(model.parameters(), foreach=many)
optimizer = optim.Adam(model.parameters(), differentiable=True, foreach=False)
