import pytest
import torch
from torch import nn

options = {"dtype": torch.float32}
a = torch.tensor([1, 2, 3], requires_grad=True)  # expect: int-requires-grad "torch.tensor makes whole numbers"
b = torch.arange(5, requires_grad=True)  # expect: int-requires-grad
c = torch.ones(3, dtype=torch.long, requires_grad=True)  # expect: int-requires-grad
d = torch.randint(10, (3,), requires_grad=True)  # expect: int-requires-grad
e = torch.full((2, 2), 1, requires_grad=True)  # expect: int-requires-grad
f = torch.tensor([[1, 2], [3, -4]]).requires_grad_()  # expect: int-requires-grad
g = torch.eye(3).long().requires_grad_(True)  # expect: int-requires-grad
h = nn.Parameter(torch.tensor([1, 2]))  # expect: int-requires-grad
i = nn.Parameter(torch.arange(4).view(2, 2))  # expect: int-requires-grad
j = torch.tensor(True, requires_grad=True)  # expect: int-requires-grad

# Right: floating point, or nothing learns.
torch.tensor([1.0, 2, 3], requires_grad=True)
torch.tensor([1, 2, 3], dtype=torch.float32, requires_grad=True)
torch.tensor([1, 2, 3], requires_grad=False)
torch.tensor([1, 2, 3], requires_grad=True, **options)
torch.arange(0, 1, 0.1, requires_grad=True)
torch.arange(5.0, requires_grad=True)
torch.ones(3, requires_grad=True)
torch.full((2, 2), 1.0, requires_grad=True)
torch.full((2, 2), 1, dtype=torch.double, requires_grad=True)
torch.randint(10, (3,)).float().requires_grad_()
torch.tensor([1, 2]).requires_grad_(False)
nn.Parameter(torch.tensor([1, 2]), requires_grad=False)
nn.Parameter(torch.zeros(2))
torch.tensor([1, 2], dtype=torch.complex64, requires_grad=True)


def unknown(values, x, flag):
    torch.tensor(values, requires_grad=True)
    torch.arange(values, requires_grad=True)
    torch.tensor([1, 2], requires_grad=flag)
    x.long().requires_grad_(flag)
    return torch.tensor([1, x], requires_grad=True)


with pytest.raises(RuntimeError):
    torch.tensor([1, 2], requires_grad=True)
