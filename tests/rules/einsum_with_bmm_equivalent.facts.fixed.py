import torch

a, b = torch.randn(4, 3, 5), torch.randn(4, 5, 6)
one = torch.randn(1, 5, 6)

# Equal batches are known: bmm takes them. A batch of one it would refuse.
x = torch.bmm(a, b)  # expect: einsum-with-bmm-equivalent "torch.bmm(a, b)"
x = torch.matmul(a, one)  # expect: einsum-with-bmm-equivalent "torch.matmul(a, one)"
