import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

labels = torch.arange(32) % 2
logits = torch.randn(32, 2)
preds = logits.argmax(dim=1, keepdim=True)
hits = (preds.squeeze(1) == labels).sum().item()  # expect: comparison-broadcast-mismatch "preds is (32, 1) and labels (32,), which makes 32×32 pairs: their sum counts them all"
accuracy = preds.squeeze(1).eq(labels).float().mean()  # expect: comparison-broadcast-mismatch
wrong = torch.ne(preds.squeeze(1), labels).sum() / len(labels)  # expect: comparison-broadcast-mismatch

net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
loader = DataLoader(TensorDataset(torch.randn(64, 3), torch.randint(0, 2, (64,))), batch_size=16)
correct = 0
for inputs, targets in loader:
    guesses = torch.sigmoid(net(inputs)) > 0.5
    correct += (guesses.squeeze(1) == targets).sum().item()  # expect: comparison-broadcast-mismatch "guesses is (16, 1) and targets (16,)"


def accuracy_of(outputs, truth):
    right = outputs.round().squeeze(1) == truth  # expect: comparison-broadcast-mismatch
    return right.float().mean().item()


accuracy_of(torch.sigmoid(net(torch.randn(10, 3))), torch.zeros(10))

# From here on everything is right.
hits = (preds.squeeze(1) == labels).sum()
hits = (preds == labels[:, None]).sum()
hits = (preds == labels.view_as(preds)).sum()
pairs = (labels[:, None] == labels).sum()
pairs = labels.unsqueeze(1).eq(labels).float().mean()
table = preds == labels
rows = table.sum(dim=1)
best = (logits == logits.max(dim=1, keepdim=True).values).sum()
few = (preds == torch.arange(5)).sum()
one = (preds[:1] == labels[:1]).sum()
same = preds == labels
diagonal = same.diagonal().sum()
counted = same.float().mean()
some = torch.randn(32, 3)
inside = (some > some.mean()).float().mean()
