"""Data of which nothing is known goes through a network: a layer that does not fit the one before it is wrong for any data."""

import random

import numpy as np
import torch
import torch.nn.functional as F
from somewhere import datasets
from torch import nn
from torch.utils.data import DataLoader


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 3)
        self.conv2 = nn.Conv2d(16, 64, 3)
        self.norm = nn.BatchNorm2d(64)
        self.fc1 = nn.Linear(9216, 128)
        self.fc2 = nn.Linear(64, 10)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = self.conv2(x)  # fails shape torch.nn.Conv2d
        x = F.dropout(F.relu(self.norm(x)), training=self.training)
        x = self.fc1(torch.flatten(F.max_pool2d(x, 2), 1))
        return self.fc2(F.relu(x))  # fails shape torch.nn.Linear


class Right(nn.Module):
    """Fits, or could: what a layer sets is lost where another value may stand in its place."""

    def __init__(self, wide=random.random() > 0.5):
        super().__init__()
        self.wide = wide
        self.conv1 = nn.Conv2d(1, 32, 3)
        self.conv2 = nn.Conv2d(32, 64, 3)
        self.to_wide = nn.Linear(9216, 128)
        self.to_narrow = nn.Linear(9216, 64)
        self.head = nn.Linear(64, 10)

    def forward(self, x):
        x = F.relu(self.conv2(F.relu(self.conv1(x))))
        x = torch.flatten(F.max_pool2d(x, 2), 1)
        if random.random() > 0.5:
            x = self.to_wide(x)
            x = x.view(-1, 64)
        else:
            x = self.to_narrow(x)
        return self.head(x)


def halves(head, x):
    h = nn.Linear(30, 128)(x)
    h = h.reshape(2, -1, 64).transpose(1, 2).transpose(1, 2)
    return nn.Linear(64, 10)(h)


def either(x, flag):
    h = nn.Linear(30, 128)(x) if flag else nn.Linear(30, 64)(x)
    return nn.Linear(64, 10)(h)


loader = DataLoader(datasets.Pictures("here"), batch_size=64)
for model in (Net(), Right()):
    for pictures, _ in loader:
        model(pictures)
        halves(model, pictures)
        either(pictures, random.random() > 0.5)


class Head(nn.Module):
    def __init__(self, dim, dropout, size=3):
        super().__init__()
        self.fc = nn.Linear(dim, 8)
        self.drop = nn.Dropout(dropout)
        self.out = nn.Linear(8, size)

    def forward(self, x):
        return self.out(self.drop(self.fc(x.contiguous())))


def build(args):  # not a tensor, though each of these is a method of tensors
    conv = nn.Conv2d(args.dim, args.ndim, args.size, padding=args.relu)
    dropped = F.dropout(torch.zeros(2), args.dropout)  # -> (2)
    return conv, dropped, Head(args.dim, args.dropout, args.size)


class Scaling(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)

    def forward(self, features):
        x = 2 * features / 255 - 1.0  # -> (N, 3, H, W)
        return self.conv(x)  # -> (N, 8, H - 2, W - 2)


def doubled(n):
    one = torch.zeros(n)  # -> (n)
    two = torch.zeros(n * 1.5)  # -> (?)
    return one, two


def pictures(image, hidden_states, n_hidden):  # named as sizes are, but no numbers
    array = torch.tensor(np.array(image))  # -> no tensor
    scaled = torch.tensor(hidden_states * 2)  # -> no tensor
    wide = torch.zeros(n_hidden * 2, 3)  # -> (2*n_hidden, 3)
    return array.permute(2, 0, 1), scaled.permute(1, 0), wide


class Attention(nn.Module):
    def __init__(self, heads, width, part):
        super().__init__()
        self.heads, self.part = heads, part
        self.queries = nn.Linear(width, heads * part)
        self.out = nn.Linear(heads * part, width)

    def forward(self, q):
        batch, length = q.size(0), q.size(1)
        whole = q
        q = self.queries(q).view(batch, length, self.heads, self.part)  # -> (?, ?, heads, part)
        q = torch.relu(q).view(batch, length, -1)  # -> (?, ?, heads*part)
        return self.out(q) + whole  # -> (?, ?, width)


class Words(nn.Module):
    def __init__(self, vocabulary, width):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.rnn = layers_of_another_file(width)

    def forward(self, tokens, hidden):
        embedded = self.embedding(tokens)  # -> (…, T, width)
        output, hidden = self.rnn(embedded, hidden)
        return embedded.sum(-1)  # -> (…, T)
