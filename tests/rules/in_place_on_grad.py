import torch
import torch.nn.functional as F
from torch import nn

scores, keep = torch.randn(4, 4, requires_grad=True), torch.ones(4, 4)


def weighted(x):
    attn = torch.softmax(x * 2, dim=-1)
    attn *= keep  # expect: in-place-on-grad "this changes attn in place, but softmax (line 9) saved its result for backward: write attn = attn * keep"
    return attn


weighted(scores).sum().backward()


def floored(x, floor=1e-2):
    p = torch.exp(x)
    p[p < floor] = floor  # expect: in-place-on-grad "this changes p in place, but exp (line 18) saved its result for backward: make a new tensor instead"
    return p.log()


floored(scores).sum().backward()

y = scores + 2
z = y * y
y.add_(1)  # expect: in-place-on-grad "this changes y in place, but the operator * (line 26) needs it for backward as it was: write y = y.add(1)"
z.sum().backward()

h = torch.sigmoid(scores)
shared = h
h += 1  # expect: in-place-on-grad "make a new tensor instead"
h.sum().backward()

w = torch.zeros(3, requires_grad=True)
w -= 0.1  # expect: in-place-on-grad "w is a leaf that requires grad: autograd refuses to change it in place, do it under torch.no_grad()"
w[0] = 1.0  # expect: in-place-on-grad "leaf"
w.mul_(2)  # expect: in-place-on-grad "w is a leaf"


class Fusion(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(3))
        self.act = nn.ReLU(inplace=True)

    def forward(self, x):
        return self.act(self.w) * x  # expect: in-place-on-grad "self.act works in place on self.w, a leaf that requires grad: use inplace=False"


Fusion()(torch.ones(3))

critic = nn.Sequential(
    nn.Linear(4, 4),
    nn.LeakyReLU(0.2, inplace=True),
    nn.Dropout(0.3, inplace=True),  # expect: in-place-on-grad "nn.Dropout works in place, but LeakyReLU (line 55) saved its result for backward: remove inplace=True"
)
critic(torch.randn(4, 4)).sum().backward()

tiles = torch.ones(1, 5).expand(3, -1)
tiles += torch.randn(3, 5)  # expect: in-place-on-grad "tiles was expanded: several of its elements are one place in memory, which torch refuses to change in place: write tiles = tiles + torch.randn(3, 5)"
rows = torch.zeros(1, 3).expand(4, 3)
rows[0, 0] = 1.0  # expect: in-place-on-grad "rows was expanded along axis 0"

generator, critic2 = nn.Linear(4, 4), nn.Linear(4, 1)
g_optimizer = torch.optim.SGD(generator.parameters(), lr=0.1)
c_optimizer = torch.optim.SGD(critic2.parameters(), lr=0.1)
fake = generator(torch.randn(2, 4))
g_loss, c_loss = critic2(fake).mean(), -critic2(fake.detach()).mean()
c_loss.backward()
c_optimizer.step()
g_loss.backward()  # expect: in-place-on-grad "backward needs the weights that Linear (line 69) used, but c_optimizer.step() (line 71) has changed them"


# From here on everything is right.
def fine(x):
    out = x @ x
    out += 1
    out *= 2
    out = F.relu(out)
    residual = out + x
    residual += x
    return residual


fine(scores).sum().backward()
a = torch.sigmoid(scores)
a.sum().backward()
a.detach().mul_(2)
with torch.no_grad():
    w -= 0.1
    w.fill_(2)
w.data.clamp_(-1, 1)
counter = torch.zeros(3)
counter += 1
counter[1] = 5
outputs = torch.zeros(2, 4, 4)
for step in range(2):
    outputs[step] = torch.tanh(scores)
outputs.sum().backward()
good = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(inplace=True), nn.Dropout())
good(torch.randn(2, 3, 8, 8)).sum().backward()
b = torch.exp(scores)
b.sum().backward()
b.add_(1)
optimizer = torch.optim.SGD(good.parameters(), lr=0.1)
for _ in range(2):
    loss = good(torch.randn(2, 3, 8, 8)).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
