import torch
from torch import nn

model, head = nn.Sequential(nn.Linear(3, 3), nn.Tanh()), nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(8, 3)

for _ in range(2):
    optimizer.zero_grad()
    loss = model(x).pow(2).mean()
    loss.backward(retain_graph=True)  # expect: retain-graph-misuse "nothing goes through the graph of loss a second time"
    optimizer.step()


def twice():
    loss = model(x).mean()
    loss.backward(retain_graph=True)  # expect: retain-graph-misuse "does not outlive optimizer.step(), which changes the weights"
    optimizer.step()
    loss.backward()


# From here on everything is right.
for _ in range(2):
    optimizer.zero_grad()
    z = model(x)
    one, other = head(z).mean(), head(z).pow(2).mean()
    one.backward(retain_graph=True)
    other.backward()
    optimizer.step()

shared = model(x)
for _ in range(2):
    loss = head(shared).mean()
    loss.backward(retain_graph=True)

weight = torch.ones(3, requires_grad=True)
squared = weight * weight
for _ in range(2):
    loss = (x * squared).sum()
    loss.backward(retain_graph=True)


def train(network, batches, state):
    for batch in batches:
        loss = network(batch, state).mean()
        loss.backward(retain_graph=True)
