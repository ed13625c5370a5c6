import math

import numpy as np
import torch

x, y = torch.randn(5, 3), torch.randn(5, 3)

a = torch.log1p(x)  # expect: unstable-log-exp "log1p(x) keeps it"
a = torch.log1p(x)  # expect: unstable-log-exp
a = torch.log1p(x * y)  # expect: unstable-log-exp
b = torch.expm1(x)  # expect: unstable-log-exp "expm1(x) keeps them"
b = torch.expm1(x)  # expect: unstable-log-exp
b = (torch.expm1(x)) * torch.exp(2 * y)  # expect: unstable-log-exp
c = torch.logsumexp(x, 1, keepdim=True)  # expect: unstable-log-exp "logsumexp does not"
c = torch.logsumexp(2.5 + x, dim=1)  # expect: unstable-log-exp
c = torch.logsumexp(x, dim=-1)  # expect: unstable-log-exp
c = torch.logsumexp(x, 1, True)  # expect: unstable-log-exp

# From here on everything is right.
a = torch.log1p(x)
a = torch.log(2 + x)
a = torch.log(x - 1)
b = torch.expm1(x)
b = 1 - torch.exp(-x)
b = torch.exp(x) - 2
b = math.exp(0.5) - 1
b = np.exp(np.zeros(3)) - 1
c = torch.log(torch.sum(torch.exp(x), 1, keepdim=True) + 2.5)
c = torch.log(torch.sum(torch.exp(x) + 2.5, 1))
c = torch.log(torch.sum(torch.exp(x)))
c = torch.log(torch.sum(torch.exp(x), dim=None, keepdim=True))
c = torch.exp(torch.sum(torch.log(x), 1, keepdim=True))
c = torch.logsumexp(x, 1)
d = torch.log(1 + math.pi * torch.ones(3)[0].item())


def scaled(rate):
    return rate.exp() - 1


def whole_or_large(x: torch.Tensor, positions: torch.Tensor, counts: torch.Tensor):
    """Nothing small is added to 1, and the largest exponent is 0."""
    largest = x.amax(1, keepdim=True)
    degrees = counts.long()
    yield torch.log(1 + torch.floor(positions / 8))
    yield torch.log(counts.clamp(min=1) + 1)
    yield torch.log(degrees + 1)
    yield (x - largest).exp().sum(1, keepdim=True).log()
    yield (x - x.max()).exp().sum(1).log()
