import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Linear(4, 4)
        self.scale = nn.Parameter(torch.ones(1))

    def freeze(self):
        self.backbone.requires_grad_(False)  # expect: requires-grad-on-module "self.backbone is a module and has no requires_grad: this sets a new attribute and freezes nothing, use requires_grad_()"
        self.scale.requires_grad = False
        self.backbone.weight.requires_grad = False


model = Net()
model.requires_grad_(False)  # expect: requires-grad-on-module

# From here on everything is right.
model.requires_grad_(False)
for parameter in model.parameters():
    parameter.requires_grad = False
x = torch.randn(3)
x.requires_grad = True


def freeze(thing):
    thing.requires_grad = False
