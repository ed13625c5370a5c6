import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)
        self.lazy = None

    def forward(self, x):
        conv = nn.Conv1d(x.shape[1], 4, 3)  # expect: layer-created-in-forward "this nn.Conv1d is new and random in each forward, and never trained: make it in __init__"
        x = conv(x)
        x = nn.Dropout(0.5)(x)  # expect: layer-created-in-forward "this nn.Dropout is always in training mode, since it is made in forward: make it in __init__"
        return nn.Linear(4, 2)(x)  # expect: layer-created-in-forward


# From here on everything is right.
class Right(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)
        self.lazy = None

    def forward(self, x):
        if self.lazy is None:
            self.lazy = nn.Linear(x.shape[-1], 4)
        blur = nn.Conv2d(1, 1, 3, bias=False)
        blur.weight.data.fill_(1 / 9)
        x = blur(x)
        x = nn.ReLU()(x)
        x = nn.MaxPool2d(2)(x)
        loss = nn.CrossEntropyLoss()(x, x)
        return self.fc(nn.functional.dropout(x, 0.5, self.training)), loss

    def build(self):
        return nn.Linear(4, 2)


class Plain:
    def forward(self, x):
        return nn.Linear(4, 2)(x)


def forward(x):
    return nn.Linear(4, 2)(x)
