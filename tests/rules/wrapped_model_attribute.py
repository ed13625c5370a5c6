import torch
from torch import nn


class Coder(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(6, 2)

    def encode(self, x):
        return self.enc(x)

    def forward(self, x):
        return self.encode(x)


x = torch.randn(3, 6)
plain = Coder()
net = nn.DataParallel(plain)
codes = net.encode(x)  # expect: wrapped-model-attribute "net is the wrapper, which has no encode: use net.module.encode"
weight = net.enc.weight  # expect: wrapped-model-attribute

# From here on everything is right.
codes = net.module.encode(x)
codes = plain.encode(x)
state = net.state_dict()
scores = net.forward  # noqa: B018
maybe = Coder()
if torch.cuda.device_count() > 1:
    maybe = nn.DataParallel(maybe)
codes = maybe.encode(x)
if hasattr(net, "encode"):
    codes = net.encode(x)


def run(model):
    wrapped = nn.DataParallel(model)
    return wrapped.encode(x)
