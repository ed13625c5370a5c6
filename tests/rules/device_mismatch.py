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

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(50, 8)
        self.shift = torch.zeros(1, 100, 8)
        self.register_buffer("scale", torch.ones(8))
        self.rnn = nn.LSTM(8, 8, batch_first=True)

    def forward(self, ids):
        x = self.table(ids) * self.scale
        x = x + self.shift[:, : x.size(1)].to(x.device)
        h = (torch.zeros(1, x.size(0), 8, device=x.device), torch.zeros(1, x.size(0), 8, device=ids.device))
        return self.rnn(x, h)[0]


class Forgetful(Tagger):
    def forward(self, ids):
        x = self.table(ids)
        x = x + self.shift[:, : x.size(1)]  # expect: device-mismatch "x is on the GPU, where there is one, self.shift[:, : x.size(1)] on cpu: use self.shift[:, : x.size(1)].to(device)"
        x = x.masked_fill(torch.ones(1, 10, 1, dtype=torch.bool), 0.0)  # expect: device-mismatch
        h, c = torch.zeros(1, ids.size(0), 8), torch.zeros(1, ids.size(0), 8)
        return self.rnn(x, (h, c))[0]  # expect: device-mismatch "self.rnn is on the GPU, where there is one, (h, c) on cpu: give each of them .to(device)"


ids = torch.randint(0, 50, (2, 10))
ids_there = ids.to(device)
tagger = Tagger().to(device)
tagger(ids)  # expect: device-mismatch "tagger is on the GPU, where there is one, ids on cpu: use ids.to(device)"
lost = F.mse_loss(tagger(ids_there), torch.zeros(2, 10, 8))  # expect: device-mismatch "use torch.zeros(2, 10, 8).to(device)"
Forgetful().to(device)(ids_there)
chain = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
if torch.cuda.is_available():
    chain.cuda()
    chain(torch.ones(2, 4))  # expect: device-mismatch "chain is on cuda, torch.ones(2, 4) on cpu: use torch.ones(2, 4).to('cuda')"

# From here on everything is right.
f = net(x.cuda()) + net(x.to("cuda"))
g = a * 2 + torch.tensor(3.0) + b.to(a.device) + b.to(a)
h = a[torch.tensor([1, 0])]
i = torch.where(a > 0, a, torch.tensor(0.0))
j = torch.zeros_like(a) + a.new_zeros(3) + torch.ones(3, device=a.device)
other = nn.Linear(3, 3).to(device)
other(torch.ones(2, 3).to(device))
other(torch.ones(2, 3, device=device))
other(ids_there.float()[:, :3])
lost = F.mse_loss(tagger(ids_there), torch.zeros(2, 10, 8, device=device))
lost = F.mse_loss(tagger(ids_there), torch.zeros(2, 10, 8).to(ids_there.device))
lost = F.mse_loss(tagger(ids_there).cpu(), torch.zeros(2, 10, 8))
third = torch.ones(2, 3)
if device.type == "cuda":
    third = third.cuda()
other(third)
other(torch.ones(2, 3).to(next(other.parameters()).device))
either = nn.Linear(3, 3)
if torch.cuda.is_available():
    either, third = either.cuda(), third.cuda()
either(third)
where = "cuda:0" if torch.cuda.is_available() else "cpu"
nn.Linear(3, 3, device=where)(torch.ones(2, 3, device=where))
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
