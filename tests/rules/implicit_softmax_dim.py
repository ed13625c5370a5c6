import torch
import torch.nn as nn
import torch.nn.functional as F

x = torch.randn(2, 5, 3)
z = F.softmax(x)  # expect: implicit-softmax-dim "F.softmax does not say its axis, and torch guesses one: give dim, most likely -1"
a = F.log_softmax(x)  # expect: implicit-softmax-dim
b = nn.Softmax()  # expect: implicit-softmax-dim
c = nn.Sequential(nn.Linear(3, 2), nn.LogSoftmax())  # expect: implicit-softmax-dim "nn.LogSoftmax"

# From here on everything is right.
a = F.softmax(x, dim=-1)
b = F.softmax(x, -1)
c = nn.Softmax(dim=1)
d = nn.Softmax(1)
e = torch.softmax(x, 1)
f = nn.Softmax2d()


def passed_on(options):
    return F.softmax(x, **options), nn.Softmax(**options)


def in_numpy_s_words(x):
    return F.softmax(x, axis=1)
