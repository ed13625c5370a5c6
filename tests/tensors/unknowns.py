"""Numbers and branches that nothing here decides, and einops, which need not be installed."""

import torch
from einops import rearrange, repeat
from einops.layers.torch import Rearrange
from torch import nn


class Patches(nn.Module):
    def __init__(self, *, size, patch, width, depth, heads, slim=False, settings=None):
        super().__init__()
        self.embed = nn.Sequential(
            Rearrange("b c (h p) (w q) -> b (h w) (p q c)", p=4, q=4),
            nn.Linear(48, width),
        )
        self.layers = nn.ModuleList([])
        for _ in range(depth):
            self.layers.append(nn.Linear(width, width))
        self.out = nn.Linear(width, 10) if settings.plain else nn.Sequential(nn.Linear(width, 10), nn.Dropout())

    def forward(self, x):
        b, c, h, w = x.shape
        y = self.embed(x)  # -> (b, h//4*(w//4), width)
        for layer in self.layers:
            y = layer(y) + y  # -> (b, h//4*(w//4), width)
        return self.out(y)  # -> (b, h//4*(w//4), 10)


class Ladder(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        for step in range(1, depth):
            self.__setattr__("step_%d" % step, nn.Linear(width, width))
        self.__setattr__("last", nn.Linear(width, 3))

    def forward(self, x):
        for step in range(1, 3):
            x = self.__getattr__("step_%d" % step)(x)
        return self.__getattr__("last")(x)  # -> (4, 3)


class Tower(nn.Module):
    def __init__(self, count, kind):
        super().__init__()
        self.floors = nn.Sequential()
        width = 8
        for number in range(count):
            self.floors.add_module("floor_{}".format(number), nn.Conv2d(width, 12, 1))
            width = 12
        self.roof = nn.Conv2d({"flat": 12, "steep": 24}.get(kind, 12), 3, 1)

    def forward(self, x):
        x = self.floors(x)
        return self.roof(x)  # -> (N, 3, H, W)


known = Ladder(8, 3)(torch.zeros(4, 8))  # -> (4, 3)
vague = Ladder(8, int(open("depth").read()))
encode = nn.GRU(8, 5, batch_first=True, bidirectional=True)
states, last = encode(open("states").read())
summed = states.sum(1)  # -> (N, 10)
tables = {"a": torch.zeros(4, 1), "b": torch.zeros(5, 1)}
table = tables.get(open("which").read(), torch.zeros(6, 1)) @ torch.zeros(1, 2)  # -> no tensor
popped = tables.pop(open("which").read(), torch.zeros(6, 1)).view(6)
rest = tables["b"].view(5)
image = torch.zeros(2, 3, 8, 12)
rows = rearrange(image, "b c h w -> b (h w) c")  # -> (2, 96, 3)
wide = repeat(torch.zeros(5), "n -> b n", b=7)  # -> (7, 5)
mystery = open("numbers").read()
if mystery == "a":
    rows = rows.view(2, 48, 6)
odd = rows @ torch.zeros(3, 4)
layers = [nn.Linear(3, 8)]
if mystery == "b":
    layers.append(nn.Linear(5, 8))
chain = nn.Sequential(*layers)
result = chain(torch.zeros(1, 3))
starts = torch.randint(90, (3,))
windows = torch.stack([torch.zeros(100)[i : i + 8] for i in starts])
late = torch.zeros(100)[torch.tensor(4) :]  # -> (?)


def shapes(space, count, size, x):
    whole = torch.zeros((count, 3) + space.shape)  # -> no tensor
    stated = torch.zeros(space.input_shape)  # -> no tensor
    viewed = x.reshape(3, 4).view(size)  # -> no tensor
    row = torch.zeros(count)  # -> (count)
    return whole, stated, viewed, row


def chosen(scores, threshold):
    picked, labels = [], []
    for number in range(threshold.count):
        if scores[number] > threshold.least:
            picked.append(scores[number])
            labels.extend([number] * threshold.repeats)
    if not picked:
        return torch.zeros(0, 4), torch.tensor([])
    return torch.stack(picked), torch.tensor(labels)


def drawn(scores, threshold):
    rows, labels = chosen(scores, threshold)
    return rows[0], labels[0]  # there may be some


class Collate:
    def __call__(self, batch):
        """Collates a batch.

        Args:
            batch: [text, mel]
        """
        rows = batch[0][1].size(0)
        longest = max([row[1].size(1) for row in batch])
        return rows, longest


def cut(image, patch_size):
    n, c, h, w = image.shape
    parts = image.view(n, c, -1).split(patch_size, -1)
    return torch.stack([part * 2 for part in parts], 1)  # -> no tensor


drawn(open("scores"), open("threshold"))
nn.utils.clip_grad_value_(chain.parameters(), clip_value=10.0)
