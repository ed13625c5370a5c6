# facts
"""What a hover says of values, when the worker has looked at the file."""

import torch
from torch import nn

x = torch.randn(8, 3, 32, 32)
# ^ nothing
y = x.flatten(1)
#   ^ "x: Tensor [8, 3, 32, 32] float32" "No gradient"
#     ^ "torch.Tensor.flatten("
w = torch.zeros(3, requires_grad=True)
print(w)
#     ^ "w: Tensor [3] float32" "A leaf that requires a gradient"
v = w * 2
#   ^ "w: Tensor [3] float32"
print(v)
#     ^ "Requires a gradient; not a leaf, made by Mul"
n = 3
print(n, torch.float32)
#     ^ nothing
opt = torch.optim.SGD([w], lr=0.1)
print(opt)
#      ^ "opt: torch.optim.SGD"
layer = nn.Conv2d(3, 6, 5)
out = layer(x)
#     ^ "layer: Conv2d(3, 6, kernel_size=(5, 5)" "456 parameters" "→" "filters"
print(out, y)
#     ^ "out: Tensor [8, 6, 28, 28]"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(10, 4)

    def forward(self, rows):
        rows = self.fc(rows)
        #              ^ "rows: Tensor [" "10]"
        #           ^ "fc: Linear(in_features=10" "44 parameters"
        return rows.relu()


def correct(scores, targets):
    hits = y.argmax(dim=1).eq(targets).sum().item()
    #                       ^ "torch.Tensor.eq("
    #                                   ^ "torch.Tensor.sum("
    #                                         ^ "torch.Tensor.item("
    return hits
