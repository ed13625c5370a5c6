import torch
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.zeros(8, 3), torch.zeros(8))
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
loader = DataLoader(data, batch_size=4)
for x, y in loader:
    x = x.to(device, non_blocking=True)  # expect: non-blocking-unpinned "x is not in pinned memory, so the copy waits all the same"
    y = y.cuda(non_blocking=True)  # expect: non-blocking-unpinned
for step, batch in enumerate(DataLoader(data, batch_size=2, pin_memory=False)):
    inputs = batch[0].to(device, non_blocking=True)  # expect: non-blocking-unpinned


def train(loader):
    for x, y in loader:
        x, y = x.to(device, non_blocking=True), y.to(device)  # expect: non-blocking-unpinned


train(loader)

# From here on everything is right.
pinned = DataLoader(data, batch_size=4, pin_memory=True)
for x, y in pinned:
    x = x.to(device, non_blocking=True)
for x, y in loader:
    x = x.to(device)
    y = y.to(device, non_blocking=False)
model = torch.nn.Linear(3, 1).to(device, non_blocking=True)


def evaluate(batches, pin):
    for x, y in batches:
        x = x.to(device, non_blocking=True)
    for x, y in DataLoader(data, pin_memory=pin):
        x = x.to(device, non_blocking=True)
