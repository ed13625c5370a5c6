"""Values of which nothing is known, viewed by sizes: only tensors can be, and the sizes say what they are then."""

import numpy as np
import torch
import torch.nn.functional as F
from somewhere import batches, make_model
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(784, 100)
        self.fc2 = nn.Linear(120, 10)

    def forward(self, x):
        x = x.view(-1, 784)  # -> (N, 784)
        x = F.relu(self.fc1(x))  # -> (N, 100)
        return self.fc2(x)  # fails shape torch.nn.Linear


def train(model, optimizer):
    for images, labels in batches():
        flat = images.view(images.size(0), 3, -1)  # -> (n, 3, D)
        bits = images.view(torch.uint8)  # -> no tensor
        raw = images.view(np.uint8)  # -> no tensor
        scores = model(flat).view(-1, 10)  # -> (N, 10)
        loss = F.cross_entropy(scores, labels)  # -> ()
        optimizer.zero_grad()
        loss.backward()  # the model's weights are behind it, though nothing is known of it
        optimizer.step()
    return bits, raw


network = make_model()
out = network(torch.randn(2, 3)).view(2, -1)  # -> (2, D)
out.sum().backward()
half = network(torch.randn(2, 3)).half().view(4, 3)  # -> (4, 3)
product = half @ network.weight.view(3, 5)  # -> (4, 5)
