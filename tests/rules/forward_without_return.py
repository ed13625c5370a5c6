import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        x = self.fc(x)
        x = torch.relu(x)  # expect: forward-without-return "forward ends here and returns nothing, so that calling it gives None: return x"


# From here on everything is right.
class Right(Net):
    def forward(self, x):
        x = self.fc(x)
        return x


class Kept(Net):
    """Keeps its result."""

    def forward(self, x):
        self.out = self.fc(x)


class Early(Net):
    def forward(self, x):
        if x.dim() == 2:
            return self.fc(x)
        x = x.flatten(1)
        x = self.fc(x)


class Stream(Net):
    def forward(self, x):
        yield self.fc(x)
        x = None


class Abstract(Net):
    def forward(self, x):
        raise NotImplementedError


class Shared(Net):
    def forward(self, x):
        global latest
        latest = self.fc(x)


class Plain:
    def forward(self, x):
        x = x + 1


class Backward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x * 2
        return y
