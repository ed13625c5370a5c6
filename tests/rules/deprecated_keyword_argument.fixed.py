import torch
import torch.nn.functional as F
from torch import nn

x, y = torch.ones(2, 3), torch.ones(2, 3)
enabled = torch.cuda.is_available()

loss = nn.MSELoss(reduction="sum")  # expect: deprecated-keyword-argument "size_average is deprecated: use reduction="
loss = F.mse_loss(x, y, reduction="none")  # expect: deprecated-keyword-argument
loss = F.mse_loss(x, y, size_average=enabled)  # expect: deprecated-keyword-argument "size_average is deprecated: use reduction"
loss = nn.L1Loss(size_average=True, reduce=False)  # expect: deprecated-keyword-argument; deprecated-keyword-argument
clipped = nn.Hardtanh(min_val=-2.0, max_val=2.0)  # expect: deprecated-keyword-argument "min_value is deprecated: use min_val"
clipped = nn.Hardtanh(min_value=-2.0, min_val=2.0)  # expect: deprecated-keyword-argument

# From here on everything is right.
loss = nn.MSELoss(reduction="sum")
loss = F.mse_loss(x, y, size_average=None)
clipped = nn.Hardtanh(min_val=-2.0, max_val=2.0)
clipped = nn.Hardtanh(min_value=None)


class Loss:
    def __init__(self, size_average=True, min_value=0.0):
        self.size_average = size_average


loss = Loss(size_average=True, min_value=1.0)


def own_loss(x, y, size_average=None, reduce=None, reduction="mean"):
    return F.l1_loss(x, y, size_average=size_average, reduce=reduce, reduction=reduction)
