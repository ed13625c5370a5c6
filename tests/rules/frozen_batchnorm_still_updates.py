import torch
import torch.nn.functional as F
import torchvision
from torch import nn
from torchvision import models

norm = nn.BatchNorm2d(3)
norm.requires_grad_(False)  # expect: frozen-batchnorm-still-updates "its batch norm still moves its statistics"


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = models.resnet18(weights="DEFAULT")
        for p in self.backbone.parameters():
            p.requires_grad = False  # expect: frozen-batchnorm-still-updates "self.backbone is frozen"
        self.head = nn.Linear(1000, 2)

    def forward(self, x):
        return self.head(self.backbone(x))


body = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.BatchNorm2d(8))
for name, weight in body.named_parameters():
    weight.requires_grad_(False)  # expect: frozen-batchnorm-still-updates

# Right: no batch norm, or one without statistics.
plain = nn.Sequential(nn.Conv2d(3, 8, 3), nn.GroupNorm(2, 8))
plain.requires_grad_(False)
still = nn.BatchNorm2d(3, track_running_stats=False)
still.requires_grad_(False)
vgg = torchvision.models.vgg16()
for p in vgg.features.parameters():
    p.requires_grad = False
learning = nn.BatchNorm2d(3)
learning.requires_grad_(True)


def fit(loader):
    model = Classifier()
    optimizer = torch.optim.SGD(model.head.parameters(), lr=0.1)
    for x, y in loader:
        model.train()
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
