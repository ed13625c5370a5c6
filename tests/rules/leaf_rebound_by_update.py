import torch
from torch import nn

target = torch.ones(2)
w = torch.zeros(2, requires_grad=True)
for _ in range(3):
    loss = (w - target).pow(2).sum()
    loss.backward()
    w = w - 0.1 * w.grad  # expect: leaf-rebound-by-update "this makes a new tensor and calls it w, which is then no leaf and gets no gradient"

v = nn.Parameter(torch.zeros(2))
v.sum().backward()
with torch.no_grad():
    v = v - 0.1 * v.grad  # expect: leaf-rebound-by-update
print(v)

# From here on everything is right.
a = torch.zeros(2, requires_grad=True)
for _ in range(3):
    (a - target).pow(2).sum().backward()
    with torch.no_grad():
        a -= 0.1 * a.grad
    a.grad = None

b = torch.zeros(2, requires_grad=True)
for _ in range(3):
    (b - target).pow(2).sum().backward()
    b = (b - 0.1 * b.grad).detach().requires_grad_()

c = torch.zeros(2, requires_grad=True)
for _ in range(3):
    (c - target).pow(2).sum().backward()
    with torch.no_grad():
        c = c - 0.1 * c.grad
    c.requires_grad = True


def inner_step(weights, gradient):
    weights = weights - 0.1 * gradient
    return weights


d = torch.zeros(2, requires_grad=True)
(grad,) = torch.autograd.grad(d.sum(), d)
d = d - 0.1 * grad
print(d)
