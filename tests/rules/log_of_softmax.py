import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import log
from torch.nn.functional import softmax

scores, labels = torch.randn(4, 10), torch.randint(0, 10, (4,))

a = torch.log(torch.softmax(scores, dim=-1))  # expect: log-of-softmax "the logarithm of a softmax is -inf where the softmax is too small for its dtype: use log_softmax"
b = log(F.softmax(scores, 1)) * 2  # expect: log-of-softmax
c = F.softmax(scores, dim=1).log()  # expect: log-of-softmax
d = scores.softmax(-1).log().mean()  # expect: log-of-softmax
e = torch.log(softmax(scores, 1))  # expect: log-of-softmax
probabilities = F.softmax(scores, dim=1)
f = probabilities.log()  # expect: log-of-softmax

# From here on everything is right.
a = F.log_softmax(scores, dim=1)
b = torch.log(F.softmax(scores, dim=1) + 1e-8)
c = torch.log(scores.sigmoid())
d = torch.log(F.softmax(scores, dim=1).gather(1, labels[:, None]))
e = torch.log1p(scores.exp())
f = nn.LogSoftmax(dim=1)(scores)


def entropy(p, logger):
    logger.log(p)
    return -(p * p.log()).sum()
