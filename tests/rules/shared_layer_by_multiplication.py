import torch
from torch import nn


class Stack(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(width, width)] * depth)  # expect: shared-layer-by-multiplication "all depth places hold the same layer: make one for each in a comprehension"
        self.body = nn.Sequential(*[nn.Linear(width, width)] * 3)  # expect: shared-layer-by-multiplication
        self.norms = nn.ModuleList(2 * [nn.LayerNorm(width)])  # expect: shared-layer-by-multiplication


# From here on everything is right.
class Right(nn.Module):
    def __init__(self, width, depth, shared):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(width, width) for _ in range(depth)])
        self.activations = nn.ModuleList([nn.ReLU()] * depth)
        box = nn.Linear(width, 4)
        self.boxes = nn.ModuleList([box] * depth)
        self.given = nn.ModuleList([shared] * depth)
        self.sizes = [width] * depth
        self.zeros = [torch.zeros(3)] * depth


class Deep(nn.Module):
    def __init__(self, dim, norm=nn.LayerNorm(4), act=nn.ReLU()):  # expect: shared-default-layer "this layer is made once, when Deep is defined, and all of them share its weights"
        super().__init__()
        block = nn.Linear(dim, dim)
        self.blocks = nn.ModuleList([block for _ in range(3)])  # expect: shared-layer-by-multiplication "all places hold the one block that was made before"
        shared = nn.Linear(dim, dim)
        self.first = shared
        self.tied = nn.ModuleList([shared for _ in range(3)])
        self.own = nn.ModuleList([nn.Linear(dim, dim) for _ in range(3)])
        self.acts = [act for _ in range(3)]
        self.norm = norm


def make(layer=nn.Linear(2, 2)):
    return layer
