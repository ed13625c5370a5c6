import torch
from torch import nn

device = "cpu"
x = torch.zeros(3, requires_grad=True).to(device)
x.sum().backward()
print(x.grad)  # expect: grad-of-nonleaf "x is no leaf: an operation made it from a tensor that requires grad, so its .grad stays None"
y = torch.randn(3, requires_grad=True) * 0.01
y.sum().backward()
print(y.grad)  # expect: grad-of-nonleaf
z = 0.1 * torch.randn(3, requires_grad=True).double()
print(z.grad.norm())  # expect: grad-of-nonleaf

# From here on everything is right.
a = torch.zeros(3, requires_grad=True)
b = a.to(torch.float64)
b.sum().backward()
print(a.grad)
c = torch.zeros(3).to(device).requires_grad_()
c.sum().backward()
print(c.grad)
d = torch.randn(3, requires_grad=True) * 0.01
d.retain_grad()
d.sum().backward()
print(d.grad)
e = (torch.randn(3, requires_grad=True) * 0.01).detach().requires_grad_()
print(e.grad)
f = nn.Parameter(torch.randn(3) * 0.01)
print(f.grad)
g = torch.randn(3, requires_grad=False).to(device)
print(g.grad)
