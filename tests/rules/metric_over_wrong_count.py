import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.randn(40, 3), torch.randint(2, (40,)))
loader = DataLoader(data, batch_size=8)
model = nn.Linear(3, 2)
criterion = nn.CrossEntropyLoss()

correct, total, seen = 0, 0.0, 0
for x, y in loader:
    predicted = model(x).argmax(1)
    correct += (predicted == y).sum().item()
    total += F.cross_entropy(model(x), y).item()
    seen += len(y)
print(100 * correct / len(loader))  # expect: metric-over-wrong-count "correct counts samples, and len(loader) is the number of batches: divide by len(loader.dataset)"
print(total / len(loader.dataset))  # expect: metric-over-wrong-count "total adds up the mean of each batch, and len(loader.dataset) is the number of samples: divide by len(loader)"


def evaluate(net, batches):
    lost = 0.0
    for step, (x, y) in enumerate(batches):
        loss = criterion(net(x), y)
        lost += loss.item()
    return lost / len(batches.dataset)  # expect: metric-over-wrong-count


# From here on everything is right.
print(correct / len(loader.dataset), correct / seen, total / len(loader))

weighted, share = 0.0, 0.0
for x, y in loader:
    weighted += criterion(model(x), y).item() * len(y)
    share += (model(x).argmax(1) == y).float().mean().item()
print(weighted / len(loader.dataset), share / len(loader))

right = 0
for x, y in DataLoader(data):
    right += (model(x).argmax(1) == y).sum().item()
singles = DataLoader(data, 1)
for x, y in singles:
    right += (model(x).argmax(1) == y).sum().item()
print(right / len(singles))


def unknown(net, batches):
    hits = 0
    for x, y in batches:
        hits += (net(x) == y).sum().item()
    return hits / len(batches)


def counted(net, batches):
    lost, right, n = 0.0, 0.0, 0
    for x, y in batches:
        lost += criterion(net(x), y).item()
        right += criterion(net(x), y).item() * len(y)
        n += y.size(0)
    return lost / n, right / n  # expect: metric-over-wrong-count "lost adds up the mean of each batch, and n is the number of samples"
