import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, TensorDataset
from torchvision import datasets


class Photos(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        return torch.zeros(3), torch.zeros(1)


class Own(Photos):
    def __init__(self, paths, rank):
        super().__init__(paths[rank::2])


model = DDP(nn.Linear(3, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def step(x, y):
    optimizer.zero_grad()
    F.mse_loss(model(x), y).backward()
    optimizer.step()


data = datasets.MNIST("data")
loader = DataLoader(data, batch_size=4, shuffle=True)  # expect: ddp-without-sampler "every process reads all of the data"
for x, y in loader:
    optimizer.zero_grad()
    F.mse_loss(model(x), y).backward()
    optimizer.step()

for epoch in range(2):
    for x, y in DataLoader(Photos(["a", "b"]), batch_size=4):  # expect: ddp-without-sampler
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()


# From here on everything is right.
plain = nn.Linear(3, 1)
for x, y in DataLoader(Photos(["a", "b"]), batch_size=4):
    optimizer.zero_grad()
    F.mse_loss(plain(x), y).backward()
    optimizer.step()

with torch.no_grad():
    for x, y in DataLoader(Photos(["a", "b"]), batch_size=4):
        print(model(x))

rank = torch.distributed.get_rank()
noise = TensorDataset(torch.randn(8, 3), torch.randn(8, 1))
for source in (noise, Own(["a", "b"], rank)):
    for x, y in DataLoader(source, batch_size=4):
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
for x, y in DataLoader(Own(["a", "b"], rank), batch_size=4):
    optimizer.zero_grad()
    F.mse_loss(model(x), y).backward()
    optimizer.step()
sampler = torch.utils.data.WeightedRandomSampler([1.0, 2.0], 2)
for x, y in DataLoader(Photos(["a", "b"]), batch_size=4, sampler=sampler):
    optimizer.zero_grad()
    F.mse_loss(model(x), y).backward()
    optimizer.step()
