import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 5)

    def forward(self, x):
        return F.softmax(self.fc(x), dim=0)  # expect: softmax-wrong-dim "which is the batch: a row, one sample, does not add up to one"


probabilities = Classifier()(torch.randn(16, 8))
net = nn.Sequential(nn.Linear(8, 5), nn.Softmax(dim=0))  # expect: softmax-wrong-dim "but net(torch.randn(16, 8)).argmax(dim=1) goes along axis 1"
guesses = net(torch.randn(16, 8)).argmax(dim=1)
scores = nn.Linear(8, 5)(torch.randn(16, 8))
top = torch.softmax(scores, 0).topk(2)  # expect: softmax-wrong-dim
loss = F.nll_loss(F.log_softmax(scores, dim=0), torch.zeros(16, dtype=torch.int64))  # expect: softmax-wrong-dim "but the loss takes the classes from axis 1"
for x, y in DataLoader(TensorDataset(torch.randn(32, 8), torch.zeros(32)), batch_size=8):
    probabilities = scores.new_tensor(0) + torch.softmax(x, dim=0)  # expect: softmax-wrong-dim "the batch: one sample's"
pooled = nn.Conv2d(3, 6, 3)(torch.randn(4, 3, 8, 8)).mean((2, 3))
features = nn.Conv2d(3, 6, 3)(torch.randn(4, 3, 8, 8)).flatten(1)
probabilities = nn.Linear(216, 5)(features).softmax(dim=0)  # expect: softmax-wrong-dim "along axis 0 of (4, 5), the batch"
q, k, v = torch.randn(2, 4, 7, 8), torch.randn(2, 4, 9, 8), torch.randn(2, 4, 9, 8)
attention = torch.softmax(q @ k.transpose(-2, -1), dim=-2)  # expect: softmax-wrong-dim "but attention @ v sums along the last axis"
out = attention @ v
hidden = torch.randn(3, 7, 12)
weights = torch.softmax(nn.Linear(12, 1)(hidden), dim=-1)  # expect: softmax-wrong-dim "softmax runs along axis 2 of (3, 7, 1), which has one value: each becomes 1.0, whatever it was; take another axis"
binary = nn.Sequential(nn.Linear(8, 1), nn.Softmax(dim=1))  # expect: softmax-wrong-dim "which has one value: each becomes 1.0, whatever it was; one score takes sigmoid"
chance = binary(torch.randn(16, 8))

# From here on everything is right.
weights = torch.softmax(nn.Linear(12, 1)(hidden), dim=1)
weights = torch.softmax(nn.Linear(12, 1)(hidden).squeeze(-1), dim=-1)
weights = torch.softmax(nn.Linear(12, 7)(hidden[:, :1]), dim=-1)
chance = torch.sigmoid(nn.Linear(8, 1)(torch.randn(16, 8)))
right = F.softmax(scores, dim=1).argmax(dim=1)
right = F.log_softmax(scores, dim=-1)
mix = F.softmax(nn.Parameter(torch.randn(3)), dim=0)
pixels = F.softmax(torch.randn(2, 5, 8, 8), dim=1).argmax(dim=1)
out = torch.softmax(q @ k.transpose(-2, -1), dim=-1) @ v
bag = torch.randn(30, 8)
pooling = torch.softmax(nn.Linear(8, 1)(bag), dim=0)
pooled = (pooling * bag).sum(dim=0)
slots = torch.softmax(q @ k.transpose(-2, -1), dim=-2)
slots = slots / slots.sum(dim=-1, keepdim=True)
updates = slots @ v
policy = nn.Sequential(nn.Linear(4, 2), nn.Softmax(dim=0))
action = policy(torch.randn(4)).argmax()
experts = torch.stack([torch.randn(6, 4), torch.randn(6, 4)]).softmax(dim=0).sum(dim=0)
best_samples = torch.softmax(scores, dim=0).argmax(dim=0)
