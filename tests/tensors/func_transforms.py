import torch
from torch import nn
from torch.func import functional_call, grad, grad_and_value, vmap

net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
params = dict(net.named_parameters())
x = torch.randn(8, 3)
y = torch.randint(0, 2, (8,))
out = functional_call(net, params, (x,))  # -> (8, 2)


def loss(weights, x, y):  # -> no tensor
    logits = functional_call(net, weights, (x.unsqueeze(0),))  # -> (1, 2)
    return nn.functional.cross_entropy(logits, y.unsqueeze(0))  # -> ()


one = grad(loss)(params, x[0], y[0])
weight = one["0.weight"] * 1  # -> (4, 3)
each = vmap(grad(loss), in_dims=(None, 0, 0))(params, x, y)
per_sample = each["0.weight"] * 1  # -> (8, 4, 3)
grads, value = grad_and_value(lambda t: (t**2).sum())(x)
both = grads + value  # -> (8, 3)
sums = vmap(lambda row: row.sum())(x)  # -> (8)
dots = torch.vmap(torch.dot)(x, x)  # -> (8)
rows = vmap(lambda p, q: p @ q, in_dims=(0, None), out_dims=1)(x, torch.randn(3, 5))  # -> (5, 8)
jacobian = torch.func.jacrev(lambda t: t @ torch.randn(3, 5))(x)  # -> (8, 5, 8, 3)
hessian = torch.func.hessian(lambda t: (t**3).sum())(x)  # -> (8, 3, 8, 3)
wrong = vmap(lambda p: p @ torch.randn(4, 5))(x)  # fails shape @
