import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 2))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(8, 4)


def accuracy(network, inputs):
    network.eval()
    with torch.no_grad():
        return network(inputs).mean().item()


net.train()
for epoch in range(3):
    optimizer.zero_grad()
    net(x).mean().backward()
    optimizer.step()
    accuracy(net, x)  # expect: train-mode-not-restored "after accuracy(net, x) the network stays in eval mode"

for epoch in range(3):
    optimizer.zero_grad()
    net(x).mean().backward()
    optimizer.step()
    net.eval()  # expect: train-mode-not-restored

# From here on everything is right.
for epoch in range(3):
    net.train()
    optimizer.zero_grad()
    net(x).mean().backward()
    optimizer.step()
    accuracy(net, x)

for epoch in range(3):
    optimizer.zero_grad()
    net(x).mean().backward()
    optimizer.step()
    accuracy(net, x)
    net.train()

for epoch in range(3):
    optimizer.zero_grad()
    net(x).mean().backward()
    optimizer.step()
accuracy(net, x)

for epoch in range(3):
    optimizer.zero_grad()
    net(x).mean().backward()
    optimizer.step()
    if epoch == 2:
        accuracy(net, x)
        break

for batch in (x, x):
    accuracy(net, batch)


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 8), nn.Sequential(nn.ReLU(), nn.Linear(8, 2))

    def forward(self, batch):
        return self.second(self.first(batch))


# Nothing in it has a mode: a hint.
plain = Plain()
for epoch in range(3):
    optimizer.zero_grad()
    plain(x).mean().backward()
    optimizer.step()
    plain.eval()  # expect: train-mode-not-restored
