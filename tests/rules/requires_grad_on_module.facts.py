import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, body):
        super().__init__()
        self.body = body
        self.body.requires_grad = False  # expect: requires-grad-on-module "self.body is a module and has no requires_grad"
        self.offset = torch.zeros(3)
        self.offset.requires_grad = True
        self.requires_grad = True


Head(nn.Linear(4, 4))


def freeze(layer, scale):
    layer.requires_grad = False  # expect: requires-grad-on-module "layer is a module and has no requires_grad"
    layer.weight.requires_grad = False
    scale.requires_grad = False


freeze(nn.Linear(4, 4), nn.Parameter(torch.ones(1)))
