import torch
import torch as th
import torch.nn.functional as F
from torch import einsum, randn

a, b, v, w = torch.randn(4, 3, 5), torch.randn(4, 5, 6), torch.randn(5), torch.randn(6, 5)
m, n, s, q, k = randn(3, 5), randn(5, 6), randn(4, 4), randn(2, 8, 10, 16), randn(2, 8, 10, 16)

# Matrix products, whatever the letters are and however the specification is written.
x = torch.matmul(a, b)  # expect: einsum-with-bmm-equivalent "is a batched matrix product: torch.matmul(a, b) computes"
x = th.matmul(a, b)  # expect: einsum-with-bmm-equivalent "th.matmul(a, b)"
x = torch.matmul(a, b)  # expect: einsum-with-bmm-equivalent "torch.matmul(a, b)"
x = torch.matmul(a, a.transpose(1, 2))  # expect: einsum-with-bmm-equivalent "torch.matmul(a, a.transpose(1, 2))"
x = torch.matmul(q, k.transpose(-2, -1)) * 0.25  # expect: einsum-with-bmm-equivalent "torch.matmul(q, k.transpose(-2, -1))"
x = torch.mm(m + 1, n)  # expect: einsum-with-bmm-equivalent "torch.mm(m + 1, n)"
x = torch.mm(m, n)  # expect: einsum-with-bmm-equivalent "torch.mm(m, n)"
x = torch.mm(m, (w * 2).T)  # expect: einsum-with-bmm-equivalent "torch.mm(m, (w * 2).T)"
x = torch.matmul(a, n)  # expect: einsum-with-bmm-equivalent "torch.matmul(a, n)"
x = torch.matmul(a, n)  # expect: einsum-with-bmm-equivalent "torch.matmul(a, n)"
x = torch.mv(m, v)  # expect: einsum-with-bmm-equivalent "torch.mv(m, v)"
x = torch.mv(m, v)  # expect: einsum-with-bmm-equivalent "torch.mv(m, v)"
x = torch.matmul(a, a.transpose(1, 2)).softmax(-1)  # expect: einsum-with-bmm-equivalent

# What is no matrix product has its own operator.
x = torch.outer(v, v)  # expect: einsum-with-bmm-equivalent "an outer product: torch.outer(v, v)"
x = torch.dot(v, v)  # expect: einsum-with-bmm-equivalent "a dot product: torch.dot(v, v)"
x = F.linear(a, w)  # expect: einsum-with-bmm-equivalent "as in a linear layer: F.linear(a, w)"
x = (m * m).sum(1)  # expect: einsum-with-bmm-equivalent "(m * m).sum(1)"
x = m.T  # expect: einsum-with-bmm-equivalent "m.T"
x = q.permute(0, 2, 3, 1)  # expect: einsum-with-bmm-equivalent "q.permute(0, 2, 3, 1)"
x = m.sum(0)  # expect: einsum-with-bmm-equivalent "m.sum(0)"
x = torch.trace(s)  # expect: einsum-with-bmm-equivalent "a trace: torch.trace(s)"
x = torch.trace(s)  # expect: einsum-with-bmm-equivalent "a trace: torch.trace(s)"
x = s.diagonal()  # expect: einsum-with-bmm-equivalent "a diagonal: s.diagonal()"
x = -torch.dot(v, v)  # expect: einsum-with-bmm-equivalent "torch.dot(v, v)"
x = F.linear(a, w)  # expect: einsum-with-bmm-equivalent "F.linear(a, w)"

# A form that the plain operator spells with more than the einsum had: a hint.
x = torch.mm(m.T, m)  # expect: einsum-with-bmm-equivalent "torch.mm(m.T, m)"
x = (a * a) ** 2  # expect: einsum-with-bmm-equivalent "a * a"
x = q[0, :, :8, :8].diagonal(dim1=1, dim2=2)  # expect: einsum-with-bmm-equivalent "q[0, :, :8, :8].diagonal(dim1=1, dim2=2)"

# Comments stay; where they cannot, there is no fix.
x = torch.matmul(  # expect: einsum-with-bmm-equivalent "torch.matmul(a, b)"
    # attention times values
    a,
    b,  # the values
)

# No single operator does these.
x = torch.einsum("bij,bjk->ik", a, b)
x = torch.einsum("bij,bjk->bijk", a, b)
x = torch.einsum("bi,ijk,bk->bj", m, randn(5, 7, 2), randn(3, 2))
x = torch.einsum("bij,bi->bij", a, m[:1].expand(4, 3))
x = torch.einsum("ik,jk->", m, w)
x = torch.einsum("i,j,k->ijk", v, v, v)
x = torch.einsum("bij,ckj->bcik", a, a)
x = torch.einsum("bihd,bjhd->bhij", q, k)
x = torch.einsum("b...i,...ij->b...j", q, randn(8, 16, 3))

# These are not ours to judge: a specification that is computed, operands in a list, other libraries.
spec = "ij,jk->ik"
x = torch.einsum(spec, m, n)
x = torch.einsum(f"i{'j'},jk->ik", m, n)
x = torch.einsum("ij,jk->ik", [m, n])
x = torch.einsum("ij,jk->ik", *[m, n])
x = torch.einsum(m, [0, 1], n, [1, 2], [0, 2])
x = torch.einsum("ij,jk->ik", m)


def other(einsum, torch):
    return einsum("ij,jk->ik", m, n) + torch.einsum("ij,jk->ik", m, n)
