from collections import OrderedDict

from torch import nn

block = nn.Sequential(
    nn.Conv2d(3, 8, 3, padding=1),  # expect: redundant-bias-before-batchnorm "nn.BatchNorm2d(8) right behind it"
    nn.BatchNorm2d(8),
    nn.ReLU(),
    nn.ConvTranspose2d(8, 8, 2, stride=2, bias=True),  # expect: redundant-bias-before-batchnorm
    nn.BatchNorm2d(8, affine=False),
)
head = nn.Sequential(nn.Flatten(), nn.Linear(8, 4), nn.BatchNorm1d(4), nn.Linear(4, 2))  # expect: redundant-bias-before-batchnorm "nn.Linear"


def make(width, layers: list):
    layers += [nn.Conv1d(width, width, 3), nn.BatchNorm1d(width), nn.ReLU()]  # expect: redundant-bias-before-batchnorm
    layers.append(nn.Linear(width, width))
    return nn.Sequential(*layers)


styled = nn.Sequential(nn.Conv2d(3, 8, 3), nn.InstanceNorm2d(8))  # expect: redundant-bias-before-batchnorm

# Right: no bias, or one that something is done with before it is taken away.
options = {"bias": False}
right = nn.Sequential(
    nn.Conv2d(3, 8, 3, bias=False),
    nn.BatchNorm2d(8),
    nn.Conv2d(8, 8, 3),
    nn.ReLU(),
    nn.BatchNorm2d(8),
    nn.Conv2d(8, 8, 3),
    nn.LayerNorm(8),
    nn.Conv2d(8, 8, 3),
    nn.GroupNorm(2, 8),
    nn.Linear(8, 8, False),
    nn.BatchNorm1d(8),
    nn.Conv2d(8, 8, 3, **options),
    nn.BatchNorm2d(8),
    nn.BatchNorm2d(8),
    nn.Conv2d(8, 8, 3),
)
named = nn.Sequential(OrderedDict([("conv", nn.Conv2d(3, 8, 3)), ("norm", nn.BatchNorm2d(8))]))
apart = [nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8)]
pairs = [nn.Conv2d(3, 8, 3), nn.ReLU(), nn.BatchNorm2d(8)]


def make_either(use_bias):
    return nn.Sequential(nn.Conv2d(3, 8, 3, bias=use_bias), nn.BatchNorm2d(8))
