import torch
import torch.nn as nn
from torch.nn import Tanh

x, y = torch.randn(4, 8), torch.randn(4, 8)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(8, 16), nn.Linear(16, 2)
        self.act = nn.ReLU(True)

    def forward(self, x):
        h = nn.ReLU(self.fc1(x))  # expect: module-called-as-function "ReLU takes no tensor when it is made: call the module, nn.ReLU()(self.fc1(x))"
        return self.fc2(h)


h = Tanh(x)  # expect: module-called-as-function
loss = nn.MSELoss(x, y)  # expect: module-called-as-function "MSELoss takes no predictions and targets when it is made: call the module, nn.MSELoss()(x, y)"

# From here on everything is right.
h = Tanh()(x)
loss = nn.MSELoss()(x, y)
weighted = nn.CrossEntropyLoss(torch.tensor([1.0, 2.0]))
weighted = nn.NLLLoss(x[0])
positive = nn.BCEWithLogitsLoss(pos_weight=torch.tensor([2.0]))
dropout = nn.Dropout(0.5)
slope = nn.LeakyReLU(0.2, inplace=True)
parameter = nn.Parameter(x)
table = nn.Embedding.from_pretrained(x)


def make(slope, inplace):
    return nn.LeakyReLU(slope, inplace), nn.ReLU(inplace)
