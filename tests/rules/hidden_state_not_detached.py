import torch
from torch import nn

rnn, lstm = nn.GRU(3, 4), nn.LSTM(3, 4)
batches = torch.randn(2, 5, 1, 3)

hidden = None
for batch in batches:
    output, hidden = rnn(batch, hidden)  # expect: hidden-state-not-detached "hidden brings the graph of the last turn along, which its backward has freed"
    output.sum().backward()


def train(state):
    for batch in batches:
        output, state = lstm(batch, state)  # expect: hidden-state-not-detached
        loss = output.mean()
        loss.backward()


# From here on everything is right.
h = None
for batch in batches:
    output, h = rnn(batch, h)
    output.sum().backward()
    h = h.detach()

h = torch.zeros(1, 1, 4)
for batch in batches:
    h = h.detach()
    output, h = rnn(batch, h)
    output.sum().backward()

for batch in batches:
    h = torch.zeros(1, 1, 4)
    output, h = rnn(batch, h)
    output.sum().backward()

total, k = torch.zeros(()), None
for batch in batches:
    output, k = rnn(batch, k)
    total = total + output.sum()
total.backward()

k = None
for batch in batches:
    output, k = rnn(batch, k)
    output.sum().backward()
    k.detach_()

k = None
with torch.no_grad():
    for batch in batches:
        output, k = rnn(batch, k)

k = None
for batch in batches:
    output, k = rnn(batch, k)
    output.sum().backward(retain_graph=True)
