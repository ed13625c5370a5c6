import torch
from torch import nn

trunk, x = nn.Linear(4, 8), torch.randn(2, 4)
h = torch.relu(trunk(x))
first, second = h.sum(), h.pow(2).mean()
first.backward()
second.backward()  # expect: backward-twice "part of the graph of second was freed by an earlier backward (line 7): add the losses and call backward once"

rnn, state = nn.RNNCell(4, 4), torch.zeros(2, 4)
for _ in range(3):
    state = rnn(x, state)
    loss = state.pow(2).mean()
    loss.backward()  # expect: backward-twice "detach what one turn of the loop hands to the next"

# From here on everything is right.
h = torch.relu(trunk(x))
(h.sum() + h.pow(2).mean()).backward()
h = torch.relu(trunk(x))
h.sum().backward(retain_graph=True)
h.pow(2).mean().backward()
state = torch.zeros(2, 4)
for _ in range(3):
    state = rnn(x, state.detach())
    loss = state.pow(2).mean()
    loss.backward()
for _ in range(2):
    trunk(x).sum().backward()
    trunk(x).sum().backward()
