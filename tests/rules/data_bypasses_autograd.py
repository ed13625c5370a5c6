import torch
from torch import nn

layer, x = nn.Linear(3, 3), torch.randn(2, 3)
w = nn.Parameter(torch.ones(3))

p = torch.sigmoid(layer(x))
p.data.clamp_(0.1, 0.9)  # expect: data-bypasses-autograd "torch.sigmoid saved p for backward"
p.sum().backward()
q = layer(x).softmax(-1)
q.data[:, 0] = 0  # expect: data-bypasses-autograd
q.data *= 2.0  # expect: data-bypasses-autograd
q.sum().backward()

loss = (w * w).sum()
w.data.mul_(15.0)  # expect: data-bypasses-autograd "w is changed between the forward that used it and its backward"
loss.backward()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        gate = torch.tanh(self.layer(x))
        gate.data.masked_fill_(x < 0, 0.0)  # expect: data-bypasses-autograd
        return gate * x


# Right: weights are changed after backward, or before the forward; nothing was saved.
loss = (w * w).sum()
loss.backward()
w.data.mul_(0.5)
w.data.clamp_(-1, 1)
layer.weight.data.normal_()
layer.weight.data[0] = 0
x.data.zero_()
y = layer(x)
y.data.add_(1.0)
with torch.no_grad():
    s = torch.sigmoid(layer(x))
    s.data.clamp_(0.1, 0.9)
t = torch.sigmoid(layer(x))
print(t.data.max(), t.data.clamp(0.1, 0.9))
u = torch.sigmoid(torch.randn(3))
u.data.clamp_(0.1, 0.9)
for p in layer.parameters():
    p.data.add_(0.1)


def reset(net: nn.Module):
    nn.init.zeros_(net.weight)
    net.weight.data = torch.zeros(3, 3)
    total = w.sum()
    w.data.add_(1.0)
    total.backward()


# The gradient of a sum, or of a number times x, is the same whatever x is.
v = torch.ones(1, requires_grad=True)
doubled = 2 * v
v.data *= 100
doubled.backward()
halved = (-v / 2.0 + 1).sum()
v.data[0] = 3.0
halved.backward()
inverse = (1 / v).sum()
v.data.mul_(2.0)  # expect: data-bypasses-autograd "v is changed between the forward that used it and its backward"
inverse.backward()
