import torch
from somewhere import loader, model, nz, seen
from torch import nn

generator = nn.Sequential(nn.ConvTranspose2d(nz, 64, 4), nn.ReLU())
for images, labels in loader:
    b = images.size(0)
    noise = torch.randn(b, nz, 1, 1)  # -> (b, nz, 1, 1)
    fake = generator(noise)  # -> (b, 64, 4, 4)
    real = torch.full((b,), labels, dtype=images.dtype)  # -> (b)
    chosen = torch.nonzero(torch.rand(100) > 0.5)  # -> (n, 1)
again = noise * 2  # -> (b, nz, 1, 1)
beside = torch.zeros(b, 3)  # -> (b, 3)

last, kept = None, None
for images, labels in loader:
    k = images.shape[0]
    if last is not None:
        former = last * 2  # -> (?, 5)
        both = torch.cat([torch.zeros(k, 5), last])  # -> (?, 5)
    z = torch.ones(k, 5)  # -> (k, 5)
    if seen:
        kept = z
    last = z
later = last * 2  # -> (k, 5)
rare = kept  # one of any round

for images in loader:
    m = images.shape[0]
    small = torch.zeros(m, 3)  # -> (m, 3)
    for part in images:
        p = part.shape[0]
        piece = torch.zeros(p, m)  # -> (p, m)
total = small + 1  # -> (m, 3)

while seen:
    rows = len(next(loader))
    drawn = torch.rand(rows, 7)  # -> (rows, 7)
    if seen.any():
        break

for lot in loader:
    width = torch.zeros(nz, lot.size(0))  # -> (nz, ?)
    r = lot.size(1)
    wide = torch.zeros(r, nz)  # -> (r, nz)
joined = torch.cat([width, torch.zeros(nz, 2)], 1)  # -> (nz, ?)


def first_use(batches, d):
    sums = []
    for batch in batches:
        b = batch.size(0)
        x = torch.zeros(b, d)  # -> (b, d)
        sums.append(x)
    return torch.cat(sums)


if seen:
    channels = 3
else:
    channels = 1
pictures = torch.rand(8, channels, 4, 4)  # -> (8, channels, 4, 4)


def spread(net: nn.Module, x):
    layer = nn.Linear(8, 2)
    return nn.parallel.data_parallel(layer, torch.rand(4, 8), range(2))  # -> (4, 2)


filled = torch.full((2, 3), seen.value)  # -> (2, 3)
like = torch.zeros(3).new_full((4,), seen.value)  # -> (4)

for part in loader:
    told = torch.zeros(seen.born, seen.round)  # -> (born, round)
