import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Pairs(Dataset):
    def __len__(self):
        return 100

    def __getitem__(self, index):
        return torch.randn(5), index


def train(model, loader):
    optimizer = torch.optim.AdamW(model.parameters())
    for epoch in range(10):
        for inputs, targets in loader:
            inputs = inputs.to(device)  # -> (8, 3)
            targets = targets.to(device)  # -> (8)
            loss = nn.functional.cross_entropy(model(inputs), targets)  # -> ()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


whole = TensorDataset(torch.randn(64, 3), torch.randint(0, 2, (64,)))
train(nn.Linear(3, 2).to(device), DataLoader(whole, batch_size=8, shuffle=True, num_workers=2))
for row, place in DataLoader(Pairs(), batch_size=32):
    double = row * 2  # -> (batch, 5)
for row, place in DataLoader(Pairs(), batch_size=32, drop_last=True):
    double = row * 2  # -> (32, 5)

state = None
cell = nn.GRU(4, 8, batch_first=True)
for step in range(3):
    out, state = cell(torch.randn(2, 6, 4), state)
    out.sum().backward()  # fails backward-twice torch.Tensor.backward
