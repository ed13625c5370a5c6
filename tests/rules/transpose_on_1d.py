import torch


def rank_one_update(cov, grad, lr=0.1):
    return cov + lr * (grad @ grad.T)  # expect: transpose-on-1d "grad is (5,), so grad.T changes nothing, and grad @ grad.T is one number: use torch.outer"


rank_one_update(torch.zeros(()), torch.arange(5.0))
v = torch.randn(7)
table = v.T - v  # expect: transpose-on-1d
square = v.t() @ v  # expect: transpose-on-1d
matrix = torch.randn(3, 7)
product = matrix @ v.T  # expect: transpose-on-1d "v.T changes nothing"
row = matrix[0]
outer = torch.matmul(row, row.T)  # expect: transpose-on-1d

# From here on everything is right.
table = v[:, None].T - v[:, None]
square = matrix.T @ matrix
outer = torch.outer(v, v)
gram = matrix @ matrix.t()
column = v.unsqueeze(1)
outer = column @ column.T
dot = v @ v


def generic(x):
    return x.t()


generic(v)
