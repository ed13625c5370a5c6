from collections import OrderedDict

from torch import nn

layers = [nn.Linear(4, 4), nn.ReLU()]
net = nn.Sequential(*layers)  # expect: sequential-of-list "Sequential takes modules one by one, and layers is a list: give *layers"
deep = nn.Sequential(*[nn.Linear(4, 4) for _ in range(3)])  # expect: sequential-of-list "and […] is a list"


class Net(nn.Module):
    def __init__(self, depth):
        super().__init__()
        blocks = []
        for _ in range(depth):
            blocks.append(nn.Linear(4, 4))
        self.blocks = nn.Sequential(*blocks)  # expect: sequential-of-list


# From here on everything is right.
net = nn.Sequential(*layers)
named = nn.Sequential(OrderedDict([("fc", nn.Linear(4, 4))]))
listed = nn.ModuleList(layers)
inner = nn.Sequential(net)
either = layers if len(layers) else nn.Identity()
maybe = nn.Sequential(either)


def built(parts):
    return nn.Sequential(parts)
