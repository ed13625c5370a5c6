import torch
from torch import nn

encoder, decoder = nn.Linear(3, 2), nn.Linear(2, 3)
first = torch.optim.SGD(encoder.parameters(), lr=0.1)
second = torch.optim.SGD(decoder.parameters(), lr=0.1)
for x in torch.randn(4, 8, 3):
    first.zero_grad()
    (decoder(encoder(x)) - x).pow(2).mean().backward()
    first.step()
    second.step()  # expect: missing-zero-grad "nothing clears the gradients between the steps of second"
