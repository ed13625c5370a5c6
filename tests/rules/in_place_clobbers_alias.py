import torch
import torch.nn.functional as F
from torch import nn


class PreActivated(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv = nn.Conv2d(width, width, 3, padding=1)
        self.norm = nn.BatchNorm2d(width)
        self.relu = nn.ReLU(inplace=True)  # the layer is told where it is called
        self.plain = nn.ReLU()
        self.block = nn.Sequential(nn.ReLU(True), nn.Conv2d(width, width, 3, padding=1))
        self.normed = nn.Sequential(nn.BatchNorm2d(width), nn.ReLU(inplace=True), nn.Conv2d(width, width, 1))
        self.downsample = None

    def forward(self, x):
        out = self.relu(x)  # expect: in-place-clobbers-alias "self.relu(x) writes into x: x is used again"
        out = self.conv(out)
        return out + x

    def kept(self, x):
        identity = x
        out = F.relu_(x)  # expect: in-place-clobbers-alias "identity is the same tensor"
        return self.conv(out) + identity

    def rebound(self, x):
        identity = x
        x = F.leaky_relu(x, 0.2, inplace=True)  # expect: in-place-clobbers-alias
        x = self.conv(x)
        x += identity
        return x

    def in_a_row(self, x):
        return x + self.block(x)  # expect: in-place-clobbers-alias "begins with nn.ReLU(True), which writes into x"

    def behind(self, x):
        return self.block(x) + x  # expect: in-place-clobbers-alias

    def shortcut(self, x):
        out = self.conv(F.silu(x, inplace=True))  # expect: in-place-clobbers-alias
        if self.downsample is not None:
            x = self.downsample(x)
        return out + x


def scores(hidden, layer):
    weights = torch.relu_(hidden)  # expect: in-place-clobbers-alias
    return layer(weights) * hidden


act = nn.ReLU(inplace=True)
start = torch.tensor([-3.0, 2.0])
summed = act(start) + start  # expect: in-place-clobbers-alias


class Right(PreActivated):
    def forward(self, x):
        out = self.plain(x)
        return self.conv(out) + x

    def after_norm(self, x):
        out = self.relu(self.norm(x))
        return self.conv(out) + x

    def of_the_result(self, x):
        identity = x
        out = self.conv(x)
        out = self.relu(out)
        out += identity
        return self.relu(out)

    def whole(self, x):
        x = self.relu(x)
        x = self.conv(x)
        return x.view(x.size(0), -1)

    def of_the_activated(self, x):
        x = self.relu(x)
        return x + self.conv(x)

    def meant(self, x):
        F.relu_(x)
        return self.conv(x) + x

    def normed_first(self, x):
        return x + self.normed(x)

    def sizes(self, x):
        out = self.relu(x)
        return out.view(x.shape[0], x.size(1), -1)

    def copied(self, x):
        identity = x.clone()
        x = self.relu(x)
        return self.conv(x) + identity

    def branches(self, x, plain):
        if plain:
            return self.conv(x) + x
        else:
            out = self.relu(x)
        return out

    def returned(self, x, plain):
        if plain:
            return F.relu_(x)
        return self.conv(x) + x

    def either(self, x, plain):
        if plain:
            out = self.relu(x)
        else:
            out = self.conv(x)
        return out

    def last(self, x, skip):
        out = self.conv(x)
        out = F.relu(out, inplace=True)
        return out + skip
