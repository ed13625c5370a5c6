import numpy as np
import torch
from torch import nn

layer = nn.Linear(10, 2)
array = np.random.rand(3, 10)
layer(torch.from_numpy(array))  # expect: model-input-dtype-mismatch "torch.from_numpy(array) is float64, but the weights of layer are float32: use torch.from_numpy(array).float()"
layer(torch.from_numpy(array.astype("float32")))


class Samples(torch.utils.data.Dataset):
    def __init__(self, kind=np.float64):
        self.x = np.random.randn(100, 10).astype(kind)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        return self.x[index]


for row in torch.utils.data.DataLoader(Samples(), batch_size=32):
    layer(row)  # expect: model-input-dtype-mismatch "row is float64, but the weights of layer are float32: use row.float()"
    layer(row.float())
for row in torch.utils.data.DataLoader(Samples(np.float32), batch_size=32):
    layer(row)

doubles = torch.from_numpy(np.zeros((7, 2, 3)))
lstm = nn.LSTM(3, 4)
lstm(doubles)  # expect: model-input-dtype-mismatch "doubles is float64, but the weights of lstm are float32: use doubles.float()"
lstm(doubles.float())
norm = nn.LayerNorm(3)
norm(doubles)  # expect: model-input-dtype-mismatch "doubles is float64, but the weights of norm are float32: use doubles.float()"
norm(doubles.float())
norm(doubles.half())
nn.LayerNorm(3).double()(doubles)
nn.LayerNorm(3, elementwise_affine=False)(doubles)
attention = nn.MultiheadAttention(3, 1)
attention(doubles, doubles, doubles)  # expect: model-input-dtype-mismatch "doubles is float64, but the weights of attention are float32: use doubles.float()"
ages = torch.arange(10)
layer(ages)  # expect: model-input-dtype-mismatch "ages is int64, but the weights of layer are float32: use ages.float()"
layer(ages / 10)


class Rows(torch.utils.data.Dataset):
    def __init__(self, n=200):
        self.rows = np.random.default_rng(0).normal(size=(n, 13))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return torch.from_numpy(self.rows[index]), torch.tensor(0.5)


class SingleRows(Rows):
    def __getitem__(self, index):
        return torch.from_numpy(self.rows[index]).float(), torch.tensor(0.5)


class Regressor(nn.Module):
    def __init__(self, sizes=(13, 64, 1)):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes[:-1], sizes[1:]))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)  # expect: model-input-dtype-mismatch "x is float64, but the weights of layer are float32"
        return x


class SameRegressor(Regressor):
    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return x


def trained(model, loader):
    for batch, target in loader:
        model(batch)


trained(Regressor(), torch.utils.data.DataLoader(Rows(), batch_size=8))
trained(SameRegressor(), torch.utils.data.DataLoader(SingleRows(), batch_size=8))


class Unseen(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(13, 4)

    def forward(self, x):
        return self.body(x)
