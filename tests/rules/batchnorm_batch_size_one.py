import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset, random_split

train_set = TensorDataset(torch.randn(33, 5), torch.randn(33, 1))
train_loader = DataLoader(train_set, batch_size=16, shuffle=True)  # expect: batchnorm-batch-size-one "33 samples in batches of 16 leave a last one of 1, which BatchNorm1d refuses"
mlp = nn.Sequential(nn.Linear(5, 8, bias=False), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
for x, y in train_loader:
    mlp(x)


class Pictures(Dataset):
    def __len__(self):
        return 49

    def __getitem__(self, index):
        return torch.zeros(3, 8, 8), 0


cnn = nn.Sequential(nn.Conv2d(3, 4, 3, bias=False), nn.BatchNorm2d(4), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.BatchNorm1d(4))
for pictures, labels in DataLoader(Pictures(), batch_size=16, shuffle=True):  # expect: batchnorm-batch-size-one "49 samples"
    cnn(pictures)
part, rest = random_split(train_set, [17, 16])
for x, y in DataLoader(part, batch_size=8):  # expect: batchnorm-batch-size-one
    mlp(x)

# From here on everything is right.
for x, y in DataLoader(train_set, batch_size=16, drop_last=True):
    mlp(x)
for x, y in DataLoader(train_set, batch_size=11):
    mlp(x)
spatial = nn.Sequential(nn.Conv2d(3, 4, 3, bias=False), nn.BatchNorm2d(4))
for pictures, labels in DataLoader(Pictures(), batch_size=16):
    spatial(pictures)
plain = nn.Linear(5, 8)
for x, y in DataLoader(train_set, batch_size=16):
    plain(x)
mlp.eval()
for x, y in DataLoader(train_set, batch_size=16):
    mlp(x)
