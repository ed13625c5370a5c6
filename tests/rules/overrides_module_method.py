import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.modules = nn.ModuleList([nn.Linear(3, 3)])  # expect: overrides-module-method "self.modules is nn.Module's own method, which is found before the layer of that name"
        self.parameters = []  # expect: overrides-module-method "which torch calls to move, save and train the network"
        self.module = nn.Linear(3, 3)
        self.layers = nn.ModuleList()

    def train(self, data, epochs=3):  # expect: overrides-module-method "eval() of Net calls this train as train(False)"
        for _ in range(epochs):
            for x in data:
                self(x)


class Bare(nn.Module):
    def train(self):  # expect: overrides-module-method
        print("training")


# From here on everything is right.
class Frozen(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(3)

    def train(self, mode=True):
        super().train(mode)
        self.norm.eval()
        return self


class Loud(nn.Module):
    def train(self, mode: bool = True, quiet=False):
        return self

    def eval(self):
        return self.train(False)


class Runner:
    def __init__(self):
        self.parameters = []

    def train(self, data):
        return data


def kept(self, mode=True):
    return self


class Patched(nn.Module):
    def __init__(self):
        super().__init__()
        self.train = kept
        self.backbone = nn.Linear(2, 2)
        self.backbone.train = torch.no_grad()(kept)
