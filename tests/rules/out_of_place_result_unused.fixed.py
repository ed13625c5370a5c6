import torch
import torch.nn as nn
import torch.nn.functional as F

x, model, device = torch.randn(3, 4), nn.Linear(4, 2), "cpu"

x = x.to(device)  # expect: out-of-place-result-unused "x.to gives a new tensor and leaves x as it is: nothing uses the result"
x = x.detach()  # expect: out-of-place-result-unused
x = x.view(-1)  # expect: out-of-place-result-unused
x = F.relu(x)  # expect: out-of-place-result-unused "F.relu gives a new tensor"
x = F.dropout(x, p=0.5)  # expect: out-of-place-result-unused
print(x)


class Tracker(nn.Module):
    def __init__(self):
        super().__init__()
        self.state = torch.zeros(1, 6)

    def forward(self, x):
        self.state = self.state.detach()  # expect: out-of-place-result-unused
        self.state = self.state + x
        return self.state


# From here on everything is right.
x = x.to(device)
model.to(device)
model.cuda()
x.requires_grad_()
x.detach_()
x.add_(1)
F.relu(x, inplace=True)
F.relu_(x)
x.sum().backward()
print(x.view(-1))
try:
    x.view(5, 5)
except RuntimeError:
    pass
with torch.profiler.profile():
    x.clone()
for _ in range(100):
    x.contiguous()


def shown(y):
    F.gelu(y)
    y.contiguous()


def other(batch, tokenizer):
    batch.to(device)
    tokenizer.view(3)


class Quantized(nn.Module):
    def __init__(self, linear: nn.Linear):
        super().__init__()
        self.linear, self.plain = linear, nn.Linear(3, 3)

    def merge(self):
        from bitsandbytes.nn import Params4bit

        self.linear.weight = Params4bit(self.linear.weight.data)
        self.linear.weight.cuda(0)  # a tensor class of a library, which moves in place
