import torch


def histogram(labels, n):
    counts = torch.zeros(n)
    counts[labels] += 1  # expect: index-assign-duplicates "a position that labels holds twice counts once: use counts.index_add_(0, labels, …)"
    return counts


histogram(torch.tensor([0, 2, 2]), 3)
x, index = torch.zeros(3), torch.tensor([0, 0, 1])
x[index] += 1.0  # expect: index-assign-duplicates

# From here on everything is right.
mask = x > 0
x[mask] += 1
each = torch.tensor([0, 2])
x[each] += 1
x[0] += 1
x[torch.arange(3)] += 1
order = torch.randperm(3)
x[order] += 1
x.index_add_(0, index, torch.ones(3))
indices = mask.nonzero()[:, 0]
x[indices] += 1
for idx in range(3):
    x[idx] += 1


def unknown(labels):
    counts = torch.zeros(3)
    counts[labels] += 1
    return counts


def single(label):
    counts = torch.zeros(3)
    counts[label] += 1
    return counts


single(2)
