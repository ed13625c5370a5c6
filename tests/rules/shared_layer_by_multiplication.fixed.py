import torch
from torch import nn


class Stack(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(width, width) for _ in range(depth)])  # expect: shared-layer-by-multiplication "all depth places hold the same layer: make one for each in a comprehension"
        self.body = nn.Sequential(*[nn.Linear(width, width) for _ in range(3)])  # expect: shared-layer-by-multiplication
        self.norms = nn.ModuleList([nn.LayerNorm(width) for _ in range(2)])  # expect: shared-layer-by-multiplication


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
