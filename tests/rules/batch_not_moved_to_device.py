import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 2).to(device)
x_all = torch.randn(8, 3)
data = TensorDataset(x_all, torch.zeros(8, dtype=torch.long))
loader = DataLoader(data, batch_size=4, shuffle=True)
for x, y in loader:
    loss = F.cross_entropy(model(x), y)  # expect: batch-not-moved-to-device "model is on the GPU, and x still on the CPU: use x.to(device)"
    loss.backward()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 2)

    def forward(self, x):
        return self.body(x)


class Rows(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.randn(3), index % 2


net = Net()
net.cuda()
for step, (inputs, labels) in enumerate(DataLoader(Rows(), batch_size=4)):
    out = net(inputs.view(-1, 3))  # expect: batch-not-moved-to-device "net is on the GPU, and inputs still"


def train(network, batches):
    for x, y in batches:
        F.cross_entropy(network(x), y).backward()  # expect: batch-not-moved-to-device


train(model, loader)

# From here on everything is right.
for x, y in loader:
    x, y = x.to(device), y.to(device)
    F.cross_entropy(model(x), y).backward()
for x, y in loader:
    F.cross_entropy(model(x.to(device)), y.to(device)).backward()
host = nn.Linear(3, 2)
for x, y in loader:
    F.cross_entropy(host(x), y).backward()
there = TensorDataset(x_all.to(device), torch.zeros(8, dtype=torch.long, device=device))
for x, y in DataLoader(there, batch_size=4):
    F.cross_entropy(model(x), y).backward()


class Moving(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 2)

    def forward(self, x):
        return self.body(x.to(self.body.weight.device))


moving = Moving().to(device)
for x, y in loader:
    out = moving(x)


def collate(samples):
    return torch.stack([sample[0] for sample in samples]).to(device)


for x in DataLoader(data, batch_size=4, collate_fn=collate):
    out = model(x)


def evaluate(network, batches):
    for x, y in batches:
        network(x)
