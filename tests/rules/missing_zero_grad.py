import torch
from torch import nn

model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(8, 3)
loader = [x, x]

for epoch in range(2):
    optimizer.zero_grad()  # expect: missing-zero-grad "runs once for all turns of this loop, each of which steps: move it into the loop"
    for batch in loader:
        loss = model(batch).mean()
        loss.backward()
        optimizer.step()

# From here on everything is right.
for batch in loader:
    optimizer.zero_grad()
    loss = model(batch).mean()
    loss.backward()
    optimizer.step()

for epoch in range(2):
    optimizer.zero_grad()
    for batch in loader:
        loss = model(batch).mean()
        loss.backward()
    optimizer.step()

for epoch in range(2):
    optimizer.zero_grad()
    for batch in loader:
        loss = model(batch).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()

for epoch in range(2):
    optimizer.zero_grad()
    for i, batch in enumerate(loader):
        loss = model(batch).mean() / 2
        loss.backward()
        if i % 2:
            optimizer.step()
            optimizer.zero_grad()


def closure():
    optimizer.zero_grad()
    loss = model(x).mean()
    loss.backward()
    return loss


for epoch in range(2):
    optimizer.step(closure)


def fresh():
    for batch in loader:
        network = nn.Linear(3, 1)
        own = torch.optim.SGD(network.parameters(), lr=0.1)
        network(batch).mean().backward()
        own.step()


def cleared_in_the_forward(model, optimizer, x):
    optimizer.zero_grad()
    return model(x).pow(2).mean()


def with_it(model, optimizer, batches):
    optimizer.zero_grad()
    for batch in batches:
        loss = cleared_in_the_forward(model, optimizer, batch)
        loss.backward()
        optimizer.step()
