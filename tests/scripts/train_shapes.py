"""Tell circles, squares and triangles apart: a small network with attention over the image, trained on made-up pictures.

An ordinary training script with four real mistakes in it. `make try` opens it with the language server and shows what an
editor would; nothing in it is marked, as nothing would be in yours.
"""

import torch
import torch.nn.functional as F
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

CLASSES = 3
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def make_pictures(count: int, size: int = 32) -> TensorDataset:
    """Random pictures with a bright shape each; good enough to watch a loss go down."""
    pictures = torch.randn(count, 3, size, size) * 0.1
    labels = torch.arange(count) % CLASSES
    rows = torch.linspace(-1, 1, size).view(size, 1)
    columns = torch.linspace(-1, 1, size).view(1, size)
    circle = (rows**2 + columns**2 < 0.5).float()
    square = (torch.maximum(rows.abs(), columns.abs()) < 0.6).float()
    triangle = (rows > columns.abs() * 2 - 0.8).float()
    shapes = torch.stack([circle, square, triangle])
    pictures = pictures + shapes[labels].unsqueeze(1)
    return TensorDataset(pictures, labels)


class Attention(nn.Module):
    """Every place of the picture looks at every other."""

    def __init__(self, channels: int):
        super().__init__()
        self.query = nn.Linear(channels, channels)
        self.key = nn.Linear(channels, channels)
        self.value = nn.Linear(channels, channels)

    def forward(self, x):
        q, k, v = self.query(x), self.key(x), self.value(x)
        scores = q @ k.transpose(1, 2) / q.size(-1) ** 0.5
        weights = scores.softmax(dim=-1)
        return torch.einsum("bqk,bkc->bqc", weights, v)


class ShapeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.pool = nn.MaxPool2d(2)
        self.attention = Attention(16)
        self.fc1 = nn.Linear(16 * 6 * 6, 64)
        self.fc2 = nn.Linear(64, CLASSES)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.conv2(x)))
        tokens = x.flatten(2).transpose(1, 2)
        tokens = tokens + self.attention(tokens)
        features = F.relu(self.fc1(tokens.flatten(1)))
        return F.softmax(self.fc2(features), dim=1)


def train(model: nn.Module, loader: DataLoader, epochs: int = 3) -> None:
    criterion = nn.CrossEntropyLoss()
    optimizer = optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for epoch in range(epochs):
        running_loss = 0.0
        for pictures, labels in loader:
            pictures, labels = pictures.to(device), labels.to(device)
            optimizer.zero_grad()
            logits = model(pictures)
            loss = criterion(logits, labels)
            loss.backward()
            optimizer.step()
            running_loss += loss
        print(f"epoch {epoch}: loss {running_loss / len(loader):.3f}")


if __name__ == "__main__":
    torch.manual_seed(0)
    dataset = make_pictures(600)
    train_loader = DataLoader(dataset, batch_size=64, shuffle=True)
    train(ShapeNet().to(device), train_loader)
