import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Normal

# A size that was meant as a value: what was in memory is read.
threshold = torch.Tensor(5)  # expect: legacy-tensor-constructor "torch.Tensor(5) is not 5 but that many values"
print(torch.zeros(5) > threshold, threshold.sum())
scaled = torch.ones(3) * torch.Tensor(2)  # expect: legacy-tensor-constructor "and they are read"
level = torch.log(torch.FloatTensor(10))  # expect: legacy-tensor-constructor "and they are read"
normal = Normal(torch.Tensor(0), torch.Tensor(1))  # expect: legacy-tensor-constructor "not 0"; legacy-tensor-constructor "not 1"

# What torch refuses.
half = torch.tensor(0.5)  # expect: legacy-tensor-constructor "takes no number but a size, and raises TypeError"
minus = torch.tensor(-1.5, dtype=torch.float32)  # expect: legacy-tensor-constructor "raises TypeError"

# Sizes.
weight = nn.Parameter(torch.empty(4, 3))  # expect: legacy-tensor-constructor "torch.empty says so"
bias = torch.empty(4).uniform_(-1, 1)  # expect: legacy-tensor-constructor "torch.empty says so"
index = torch.empty(4, dtype=torch.int64)  # expect: legacy-tensor-constructor "torch.empty says so"
torch.randperm(4, out=index)
on_gpu = torch.empty(2, 3, dtype=torch.float32, device="cuda")  # expect: legacy-tensor-constructor "torch.empty says so"
like = torch.empty(weight.size())  # expect: legacy-tensor-constructor "torch.empty says so"
count = torch.empty(len([1, 2]))  # expect: legacy-tensor-constructor "torch.empty says so"
nothing = torch.empty(0)  # expect: legacy-tensor-constructor "is the old constructor: use torch.empty"
none = torch.empty(0, dtype=torch.int32)  # expect: legacy-tensor-constructor "use torch.empty"

# Data.
labels = torch.tensor([0.0, 1.0, 1.0])  # expect: legacy-tensor-constructor "makes float32 of whatever it is given"
signs = torch.tensor([[1.0, -1.0], [-1.0, 1.0]])  # expect: legacy-tensor-constructor "torch.tensor with dtype says so"
points = torch.tensor([0.5, 2])  # expect: legacy-tensor-constructor "torch.tensor with dtype says so"
classes = torch.tensor([0, 1], dtype=torch.int64)  # expect: legacy-tensor-constructor "makes int64"
flags = torch.tensor([1, 0], dtype=torch.uint8, device="cuda")  # expect: legacy-tensor-constructor "makes uint8"
computed = torch.tensor([len(labels), 3], dtype=torch.float32)  # expect: legacy-tensor-constructor "makes float32"
squares = torch.tensor([i * i for i in range(3)], dtype=torch.float32)  # expect: legacy-tensor-constructor "makes float32"
again = torch.Tensor(points)  # expect: legacy-tensor-constructor "torch.Tensor of a tensor is points itself, in its memory"
array = torch.Tensor(np.ones(3))  # expect: legacy-tensor-constructor "where np.ones(3) is a whole number: torch.tensor(np.ones(3), dtype=torch.float32) always takes values"


def made(n):
    return torch.Tensor(n)  # expect: legacy-tensor-constructor "torch.Tensor makes a tensor of that size where n is a whole number: torch.tensor(n, dtype=torch.float32) always takes values"


# From here on everything is right.
def right(x: torch.Tensor, rows) -> torch.Tensor:
    assert isinstance(x, (torch.Tensor, torch.FloatTensor))
    kept = torch.Tensor(*rows).zero_()
    made = torch.Tensor._make_subclass(torch.Tensor, x)
    old = x.type(torch.LongTensor)
    return F.relu(kept + made + old + torch.tensor(5) + torch.empty(5).fill_(0) + torch.tensor([1.0]))


def gathered(text: bytes):
    storage = torch.ByteStorage.from_buffer(text)
    return torch.ByteTensor(storage), torch.FloatTensor(torch.zeros(3).storage())
