import torch
import torch.nn.functional as F
from torch import nn

x = torch.randn(4, 10)
net = nn.Linear(10, 2).cuda()
y = net(x)  # expect: device-mismatch "net is on cuda, x on cpu: use x.to('cuda')"
a = torch.ones(3, device="cuda:0")
b = torch.ones(3)
c = a + b  # expect: device-mismatch "a is on cuda, b on cpu: use b.to('cuda')"
d = b * 2 * a  # expect: device-mismatch "b * 2 is on cpu, a on cuda: use (b * 2).to('cuda')"
e = torch.cat([a, b])  # expect: device-mismatch "cat gets tensors on different devices"
b.add_(a)  # expect: device-mismatch
F.cross_entropy(torch.randn(3, 4).cuda(), torch.zeros(3, dtype=torch.long))  # expect: device-mismatch
steps = torch.arange(4.0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x) + steps  # expect: device-mismatch "self.fc(x) is on cuda, steps on cpu: use steps.to('cuda')"


Net().cuda()(torch.ones(2, 4).cuda())

# From here on everything is right.
f = net(x.cuda()) + net(x.to("cuda"))
g = a * 2 + torch.tensor(3.0) + b.to(a.device) + b.to(a)
h = a[torch.tensor([1, 0])]
i = torch.where(a > 0, a, torch.tensor(0.0))
j = torch.zeros_like(a) + a.new_zeros(3) + torch.ones(3, device=a.device)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
other = nn.Linear(3, 3).to(device)
other(torch.ones(2, 3))
maybe, ones = nn.Linear(3, 3), torch.ones(2, 3)
if torch.cuda.is_available():
    maybe.cuda()
    ones = ones.cuda()
maybe(ones)
k = a.cpu() + b
l = b.cuda(0) + a


class Later(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x.cuda())


class Pairs(torch.utils.data.Dataset):
    def __len__(self):
        return 100

    def __getitem__(self, index):
        return x[0].cuda(), 0


for batch, label in torch.utils.data.DataLoader(Pairs(), batch_size=4):
    F.cross_entropy(net(batch), label.cuda())
try:
    m = b.cuda()
except RuntimeError:
    m = b
n = m + b

# What does not go through torch's own operators may be anywhere, and is not taken for a tensor on the CPU.
from einops.layers.torch import Rearrange

patches = torch.nn.Sequential(Rearrange("b c (h p) (w q) -> b (h w) (p q c)", p=4, q=4), torch.nn.LayerNorm(48)).cuda()
patches(torch.randn(2, 3, 8, 8).cuda())
