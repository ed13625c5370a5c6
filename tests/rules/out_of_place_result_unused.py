import io

import torch
import torch.nn as nn
import torch.nn.functional as F

x, model, device = torch.randn(3, 4), nn.Linear(4, 2), "cpu"

x.to(device)  # expect: out-of-place-result-unused "x.to gives a new tensor and leaves x as it is: nothing uses the result"
x.detach()  # expect: out-of-place-result-unused
x.view(-1)  # expect: out-of-place-result-unused
F.relu(x)  # expect: out-of-place-result-unused "F.relu gives a new tensor"
F.dropout(x, p=0.5)  # expect: out-of-place-result-unused
print(x)


class Tracker(nn.Module):
    def __init__(self):
        super().__init__()
        self.state = torch.zeros(1, 6)

    def forward(self, x):
        self.state.detach()  # expect: out-of-place-result-unused
        self.state = self.state + x
        return self.state


net, wide = nn.Linear(4, 2), nn.Linear(4, 2)
torch.load("net.pt", weights_only=True)  # expect: out-of-place-result-unused "torch.load gives what the file holds and changes no model"
torch.load(f"net-{3}.pt")  # expect: out-of-place-result-unused
torch.compile(net)  # expect: out-of-place-result-unused "torch.compile gives a compiled model and leaves net as it is"
nn.DataParallel(wide)  # expect: out-of-place-result-unused "DataParallel wraps the model"
print(net(x), wide(x))


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


net.load_state_dict(torch.load("net.pt", weights_only=True))
fast = torch.compile(net)
net = torch.compile(net)
net.compile()
wide = nn.DataParallel(wide)
last = nn.Linear(4, 2)
torch.compile(last)  # whether it can be compiled is all that is asked
buffer = io.BytesIO()
torch.save(x, buffer)
torch.load(buffer)
with open("net.pt", "rb") as file:
    torch.load(file)
try:
    torch.load("net.pt")
except RuntimeError:
    print("damaged")
torch.save(net.state_dict(), "checked.pt")
torch.load("checked.pt")  # whether it is whole
