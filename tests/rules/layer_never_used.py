import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 4)
        self.second = nn.Linear(4, 4)  # expect: layer-never-used "nothing uses self.second, whose weights are saved and never trained"
        self.norm = nn.LayerNorm(4)  # expect: layer-never-used
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        return self.first(self.first(x))


# From here on everything is right.
class Right(nn.Module):
    def __init__(self):
        super().__init__()
        self.used = nn.Linear(4, 4)
        self.tied = nn.Linear(4, 4)
        self.read_outside = nn.Linear(4, 4)
        self.named = nn.Linear(4, 4)
        self.fc = nn.Linear(4, 2)
        self.tied.weight = self.used.weight

    def forward(self, x):
        return self.used(x)


print(Right().read_outside.weight, dict(Right().named_parameters())["named.weight"])


class Looped(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.Linear(4, 4)
        self.two = nn.Linear(4, 4)

    def forward(self, x):
        for layer in self.children():
            x = layer(x)
        return x


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.top = nn.Linear(4, 4)

    def forward(self, x):
        return self.body(x)


class Heir(Base):
    def __init__(self):
        super().__init__()
        del self.top


class Abstract(nn.Module):
    def __init__(self):
        super().__init__()
        self.later = nn.Linear(4, 4)


def by_name(model: nn.Module, name: str) -> torch.Tensor:
    return model.get_parameter(name)
