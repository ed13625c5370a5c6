import copy
from typing import List

import torch
from torch import nn
from torchvision.models import resnet18


class Activation(nn.Module):
    def forward(self, x):
        return x * torch.sigmoid(x)


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc = nn.Linear(dim, dim)

    def forward(self, x):
        return self.fc(x)


class Comprehension(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.layers = [nn.Linear(8, 8) for _ in range(depth)]  # expect: unregistered-submodules "the plain list self.layers are not registered: not trained, moved or saved; use nn.ModuleList"
        self.blocks = [Block(8) for _ in range(depth)]  # expect: unregistered-submodules "self.blocks"
        self.pair = [nn.Linear(8, 8), nn.BatchNorm1d(8)]  # expect: unregistered-submodules
        self.branches = (nn.Linear(8, 8), nn.Linear(8, 4))  # expect: unregistered-submodules "the plain tuple self.branches"
        self.typed: List[nn.Module] = [nn.Dropout(), nn.Dropout()]  # expect: unregistered-submodules
        self.grid = [[Block(8) for _ in range(2)] for _ in range(depth)]  # expect: unregistered-submodules

    def forward(self, x):
        for layer, block in zip(self.layers, self.blocks):
            x = block(layer(x))
        return self.pair[1](self.pair[0](x))


class Dictionaries(Block):
    def __init__(self, dim, tasks):
        super().__init__(dim)
        self.heads = {name: nn.Linear(dim, n) for name, n in tasks.items()}  # expect: unregistered-submodules "plain dict self.heads are not registered: not trained, moved or saved; use nn.ModuleDict"
        self.named = {"a": nn.Linear(dim, 1), "b": nn.Linear(dim, 2)}  # expect: unregistered-submodules
        self.gates = {}  # expect: unregistered-submodules
        for name in tasks:
            self.gates[str(name)] = nn.Linear(dim, 1)

    def forward(self, x):
        return [head(x) for head in self.named.values()] + [self.gates["a"](x)]


class Appended(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.layers = []  # expect: unregistered-submodules
        for a, b in zip(sizes, sizes[1:]):
            self.layers.append(nn.Linear(a, b))
        gathered = []
        for a, b in zip(sizes, sizes[1:]):
            conv = nn.Conv1d(a, b, 3)
            gathered.append(conv)
        self.convs = gathered  # expect: unregistered-submodules "self.convs"
        self.more = []  # expect: unregistered-submodules
        self.more += [nn.Linear(3, 3), nn.ReLU()]
        self.sorted = []  # expect: unregistered-submodules
        self.sorted.append(nn.Linear(3, 3))
        self.sorted.sort(key=id)


# From here on everything is right.
class Registered(nn.Module):
    def __init__(self, dims, teacher, tasks):
        super().__init__()
        self.dims = [4] + dims
        layers = []
        for i, o in zip(self.dims[:-1], self.dims[1:]):
            layers += [nn.Linear(i, o), nn.ReLU(inplace=True)]
        self.body = nn.Sequential(*layers)
        self.all = layers
        self.list = nn.ModuleList([nn.Linear(8, 8) for _ in range(3)])
        self.heads = nn.ModuleDict({name: nn.Linear(4, n) for name, n in tasks.items()})
        self.later = []
        for _ in range(3):
            self.later.append(nn.Linear(3, 3))
        self.later = nn.ModuleList(self.later)
        self.first = nn.Linear(2, 2)
        second = nn.Linear(2, 2)
        self.second = second
        self.aliases = [self.first, self.second, second]
        self.last_two = [self.body[-2], self.body[-1]]
        self.hooks = {"relu": [n for n, m in self.body.named_children() if isinstance(m, nn.ReLU)]}
        self.left, self.right = nn.Linear(2, 2), nn.Linear(2, 2)
        self.teacher = [teacher]
        self.hidden = [nn.Linear(2, 2)]
        self.factories = [nn.Linear, nn.Conv2d]
        self.makers = {"linear": lambda: nn.Linear(2, 2), "block": Block}
        self.activations = [nn.ReLU(), nn.Tanh(), Activation()]
        self.losses = {"ce": nn.CrossEntropyLoss(), "mse": nn.MSELoss()}
        self.shapes = [nn.Linear(2, 2).weight.shape, tuple(nn.Linear(2, 2).weight.shape)]
        self.parameters_ = nn.ParameterList([nn.Parameter(torch.zeros(2)) for _ in range(2)])
        self.copies = nn.ModuleList([copy.deepcopy(self.first) for _ in range(2)])

    def grow(self):
        new = [nn.Linear(2, 2) for _ in range(2)]
        self.list.extend(new)


class ByHand(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = []
        for i in range(3):
            block = Block(4)
            self.add_module(f"block{i}", block)
            self.blocks.append(block)


class ByName(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = [Block(4) for _ in range(3)]
        for i, block in enumerate(self.blocks):
            setattr(self, f"block{i}", block)


class Wrapped(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = [nn.Linear(2, 2), nn.Linear(2, 2)]
        self.net = nn.Sequential(nn.Flatten(), *self.parts)


class Trainer:
    """Not a module: it may keep modules as it likes."""

    def __init__(self):
        self.models = [nn.Linear(2, 2) for _ in range(5)]
        self.nets = {"a": Block(2)}


class Unknown(resnet18):
    def __init__(self):
        super().__init__()
        self.extra = [nn.Linear(2, 2) for _ in range(5)]


models = [nn.Linear(2, 2) for _ in range(5)]


class Branches(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.convs = tuple(nn.Conv1d(dim, dim, k) for k in (3, 5))  # expect: unregistered-submodules
        self.widths = tuple(k for k in (3, 5))
        self.own = nn.ModuleList(list(nn.Conv1d(dim, dim, k) for k in (3, 5)))

    def forward(self, x):
        return [conv(x) for conv in self.convs]
