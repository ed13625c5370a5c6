import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.gamma = torch.full((dim,), 0.1, requires_grad=True)  # expect: tensor-not-parameter "self.gamma is no parameter"
        self.beta = nn.Parameter(torch.zeros(dim)) * 0.1  # expect: tensor-not-parameter "an operation on a parameter gives a plain tensor"
        self.table = nn.Parameter(torch.zeros(dim)).to("cpu")  # expect: tensor-not-parameter
        self.low = nn.Parameter(torch.zeros(dim)).half()  # expect: tensor-not-parameter "self.low is not registered"
        self.wide = nn.Parameter(torch.zeros(dim)).to(dtype=torch.float64)  # expect: tensor-not-parameter


# From here on everything is right.
class Right(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.gamma = nn.Parameter(torch.full((dim,), 0.1), requires_grad=True)
        self.beta = nn.Parameter(torch.zeros(dim) * 0.1)
        self.noise = torch.zeros(dim, requires_grad=False)
        self.delta = torch.zeros(dim, requires_grad=True)
        self.optimizer = torch.optim.Adam([self.delta])
        # A conversion to what it is gives the parameter itself.
        self.same = nn.Parameter(torch.ones(dim, dtype=torch.float32)).to(torch.float32)
        self.still = nn.Parameter(torch.zeros(dim)).float()
        start = torch.zeros(dim, requires_grad=True)
        self.start = start.detach()


class Attack:
    def __init__(self, dim):
        self.delta = torch.zeros(dim, requires_grad=True)
