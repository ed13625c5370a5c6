import torch
from torch import nn

x = torch.randn(2, 3)


class Wrapper(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(3, 3)

    def forward(self, x):
        return self.encoder.forward(x).tanh()  # expect: direct-forward-call "self.encoder.forward(…) skips the hooks of self.encoder: call self.encoder(…)"


model = Wrapper()
out = model.forward(x)  # expect: direct-forward-call


def encoded(x):
    own = Wrapper()
    return own.forward(x)  # expect: direct-forward-call


# From here on everything is right.
class Special(Wrapper):
    def forward(self, x):
        return super().forward(x) + 1

    def again(self, x):
        return self.forward(x)


class Player:
    def forward(self):
        return 1


class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x


out = model(x)
Player().forward()
player = Player()
player.forward()


def other(thing):
    return thing.forward(x)
