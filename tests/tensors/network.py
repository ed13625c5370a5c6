import torch
import torch.nn.functional as F
from torch import nn


class Digits(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.pool = nn.MaxPool2d(2)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, classes)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))  # -> (8, 6, 12, 12)
        x = self.pool(F.relu(self.conv2(x)))  # -> (8, 16, 4, 4)
        x = torch.flatten(x, 1)  # -> (8, 256)
        x = F.relu(self.fc1(x))  # fails shape torch.nn.Linear
        return self.fc2(x)  # -> (8, 10)


out = Digits()(torch.randn(8, 1, 28, 28))  # -> (8, 10)
