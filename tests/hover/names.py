"""What a hover says. A line of carets speaks of the line above it: words that must be there, or `nothing`."""

import os
import torch
#        ^ "torch"
import torch.nn.functional as F
import torch as th
from torch import nn, optim
from torch.nn.functional import relu as r
#                               ^ "torch.nn.functional.relu" "max(x, 0)"
#                                        ^ "torch.nn.functional.relu"
from torch.utils.data import DataLoader
from torch.monitor import Event
#            ^ "import torch.monitor" "Has `Aggregation`, `Event`,"

flags = torch.has_mkl, torch.float8_e4m3fn
#             ^ "torch.has_mkl: bool"
#                            ^ "torch.float8_e4m3fn: dtype"
conv = nn.Conv2d
flat = nn.Conv2d(3, 6, 5, padding=1)
#         ^ "torch.nn.Conv2d" "⚠"
#      ^ "import torch.nn" "Pages on" "`AdaptiveMaxPool2d`"
#                         ^ "**`padding`** of `torch.nn.Conv2d`"
again = conv(3, 6, 5)
#       ^ "torch.nn.Conv2d" "⚠"
y = th.cat([torch.hann_window(1), torch.ones(1)])
#      ^ "torch.cat" "⚠"
#                 ^ "torch.hann_window(" "| requires_grad | False         | If autograd" "generated/torch.hann_window.html"
z = r(y) + F.relu(y)
#   ^ "torch.nn.functional.relu"
#            ^ "torch.nn.functional.relu"
print(os.path.join("a", "b"), y)
#             ^ nothing
#                   ^ nothing


class Net(nn.Module):
#            ^ "torch.nn.Module"
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)

    def forward(self, x):
        #             ^ nothing
        x = self.fc(x)
        #        ^ "fc: torch.nn.Linear"
        loss = F.cross_entropy(x, x, reduction="sum")
        #                            ^ "`reduction`" "torch.nn.functional.cross_entropy"
        #                                       ^ "`reduction`"
        loss.backward()
        #    ^ "torch.Tensor.backward" "⚠"
        return x.view(-1)
        #        ^ "torch.Tensor.view" "⚠"


optimizer = optim.SGD(Net().parameters(), lr=0.1)
#                                         ^ "`lr`"
optimizer.step()
#         ^ "step(" "closure"
for batch in DataLoader([1, 2], batch_size=2):
#            ^ "torch.utils.data.DataLoader"
    print(batch)

einsum = torch.einsum("ij,jk->ik", y, z)  # torch-handbook: ignore[einsum-with-bmm-equivalent]
#                                                                    ^ "# einsum-with-bmm-equivalent" "Bad" "Good"
nothing = 1  # a comment about torch.relu
#                                    ^ nothing
text = "torch.relu"
#             ^ nothing
