import torch
import torch as th
import torch.nn.functional as F
from torch import einsum, randn

a, b, v, w = torch.randn(4, 3, 5), torch.randn(4, 5, 6), torch.randn(5), torch.randn(6, 5)
m, n, s, q, k = randn(3, 5), randn(5, 6), randn(4, 4), randn(2, 8, 10, 16), randn(2, 8, 10, 16)

# Matrix products, whatever the letters are and however the specification is written.
x = torch.einsum("bij,bjk->bik", a, b)  # expect: einsum-with-bmm-equivalent "is a batched matrix product: torch.matmul(a, b) computes"
x = th.einsum("b i j, b j k -> b i k", a, b)  # expect: einsum-with-bmm-equivalent "th.matmul(a, b)"
x = torch.einsum("BnM,BMp->Bnp", a, b)  # expect: einsum-with-bmm-equivalent "torch.matmul(a, b)"
x = torch.einsum("bij,bkj->bik", a, a)  # expect: einsum-with-bmm-equivalent "torch.matmul(a, a.transpose(1, 2))"
x = torch.einsum("bhid,bhjd->bhij", q, k) * 0.25  # expect: einsum-with-bmm-equivalent "torch.matmul(q, k.transpose(-2, -1))"
x = torch.einsum("ij,jk->ik", m + 1, n)  # expect: einsum-with-bmm-equivalent "torch.mm(m + 1, n)"
x = torch.einsum("ik,kj", m, n)  # expect: einsum-with-bmm-equivalent "torch.mm(m, n)"
x = torch.einsum("ij,kj->ik", m, w * 2)  # expect: einsum-with-bmm-equivalent "torch.mm(m, (w * 2).T)"
x = torch.einsum("bij,jk->bik", a, n)  # expect: einsum-with-bmm-equivalent "torch.matmul(a, n)"
x = torch.einsum("...i,ij->...j", a, n)  # expect: einsum-with-bmm-equivalent "torch.matmul(a, n)"
x = torch.einsum("ij,j->i", m, v)  # expect: einsum-with-bmm-equivalent "torch.mv(m, v)"
x = torch.einsum("j,ij->i", v, m)  # expect: einsum-with-bmm-equivalent "torch.mv(m, v)"
x = torch.einsum("bij,bkj->bik", a, a).softmax(-1)  # expect: einsum-with-bmm-equivalent

# What is no matrix product has its own operator.
x = torch.einsum("i,j->ij", v, v)  # expect: einsum-with-bmm-equivalent "an outer product: torch.outer(v, v)"
x = torch.einsum("i,i->", v, v)  # expect: einsum-with-bmm-equivalent "a dot product: torch.dot(v, v)"
x = torch.einsum("btd,od->bto", a, w)  # expect: einsum-with-bmm-equivalent "as in a linear layer: F.linear(a, w)"
x = torch.einsum("bd,bd->b", m, m)  # expect: einsum-with-bmm-equivalent "(m * m).sum(1)"
x = torch.einsum("ij->ji", m)  # expect: einsum-with-bmm-equivalent "m.T"
x = torch.einsum("bchw->bhwc", q)  # expect: einsum-with-bmm-equivalent "q.permute(0, 2, 3, 1)"
x = torch.einsum("bd->d", m)  # expect: einsum-with-bmm-equivalent "m.sum(0)"
x = torch.einsum("ii->", s)  # expect: einsum-with-bmm-equivalent "a trace: torch.trace(s)"
x = torch.einsum("ii", s)  # expect: einsum-with-bmm-equivalent "a trace: torch.trace(s)"
x = torch.einsum("ii->i", s)  # expect: einsum-with-bmm-equivalent "a diagonal: s.diagonal()"
x = -einsum("i,i->", v, v)  # expect: einsum-with-bmm-equivalent "torch.dot(v, v)"
x = einsum("btd,od->bto", a, w)  # expect: einsum-with-bmm-equivalent "F.linear(a, w)"

# A form that the plain operator spells with more than the einsum had: a hint.
x = torch.einsum("ji,jk->ik", m, m)  # expect: einsum-with-bmm-equivalent "torch.mm(m.T, m)"
x = torch.einsum("bij,bij->bij", a, a) ** 2  # expect: einsum-with-bmm-equivalent "a * a"
x = torch.einsum("bii->bi", q[0, :, :8, :8])  # expect: einsum-with-bmm-equivalent "q[0, :, :8, :8].diagonal(dim1=1, dim2=2)"

# Comments stay; where they cannot, there is no fix.
x = torch.einsum(  # expect: einsum-with-bmm-equivalent "torch.matmul(a, b)"
    "bij,bjk->bik",  # attention times values
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
