import torch

share = torch.tensor([0] * 4)
share[0] = 0.7  # expect: int-tensor-float-assignment "share is int64, so 0.7 loses its fraction"
share[1:] = 1 / 3  # expect: int-tensor-float-assignment
labels = torch.randint(0, 3, (4,))
soft = torch.zeros_like(labels)
soft[labels == 1] = 0.9  # expect: int-tensor-float-assignment "soft is int64"
steps = torch.arange(4)
steps[2] = torch.rand(4).mean()  # expect: int-tensor-float-assignment
steps[:] = torch.linspace(0, 1, 4)  # expect: int-tensor-float-assignment
scores = torch.zeros(4, dtype=torch.long)
for i in range(4):
    scores[i] = i * 0.25  # expect: int-tensor-float-assignment
    scores[i] = torch.rand(3).mean().item()  # expect: int-tensor-float-assignment
labels.fill_(0.5)  # expect: int-tensor-float-assignment
smooth = torch.full_like(labels, 0.1)  # expect: int-tensor-float-assignment "labels is int64, so 0.1"
target = torch.zeros(4, 3, dtype=torch.int64).scatter_(1, labels[:, None], 0.9)  # expect: int-tensor-float-assignment
filled = labels.masked_fill(labels > 1, 0.5)  # expect: int-tensor-float-assignment
copied = torch.zeros(4, dtype=torch.int32)
copied.copy_(torch.rand(4))  # expect: int-tensor-float-assignment

# From here on everything is right.
share = torch.tensor([0.0] * 4)
share[0] = 0.7
share = torch.zeros(4)
share[1:] = 1 / 3
labels[0] = 2
labels[1] = 2.0
labels[labels == 1] = -100
soft = torch.zeros_like(labels, dtype=torch.float32)
soft[labels == 1] = 0.9
smooth = torch.full_like(labels, 0.1, dtype=torch.float32)
steps[2] = torch.rand(4).argmax()
steps[3] = torch.rand(4).sum().round()
steps[:] = torch.randint(0, 4, (4,))
steps[0] = 7 // 2
numbers = [0] * 4
numbers[0] = 0.7
target = torch.zeros(4, 3).scatter_(1, labels[:, None], 0.9)


def unknown(table, value):
    table[0] = 0.7
    return table
