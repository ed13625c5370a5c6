import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

PAD = 0
lines = [torch.tensor([4, 2, 7]), torch.tensor([5])]
targets = pad_sequence(lines, batch_first=True, padding_value=PAD)
longer = torch.cat([targets, torch.full((2, 1), PAD)], dim=1)
criterion = nn.CrossEntropyLoss(reduction="sum")  # expect: ce-missing-ignore-index "longer.view(-1) is padded with PAD, which counts as a class"
loss = criterion(torch.zeros(8, 9), longer.view(-1))
loss = F.cross_entropy(torch.zeros(6, 9), targets.flatten())  # expect: ce-missing-ignore-index "give ignore_index=PAD"
plain = pad_sequence(lines, batch_first=True)
inputs, labels = plain[:, :-1], plain[:, 1:]
loss = F.nll_loss(torch.zeros(4, 9), labels.reshape(-1))  # expect: ce-missing-ignore-index "is padded with 0"


def collate(samples):
    xs, ys = zip(*samples)
    return pad_sequence(xs, batch_first=True), pad_sequence(ys, batch_first=True)


data = [(torch.tensor([1, 2]), torch.tensor([3, 4])), (torch.tensor([1]), torch.tensor([3]))]
loader = DataLoader(data, batch_size=2, collate_fn=collate)
model = nn.Embedding(9, 9)
loss_fn = nn.CrossEntropyLoss()  # expect: ce-missing-ignore-index "y.flatten() is padded with 0"
for x, y in loader:
    loss_fn(model(x).flatten(0, 1), y.flatten()).backward()


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.criterion = nn.CrossEntropyLoss()

    def loss(self, scores, tags):
        gold = pad_sequence(tags, batch_first=True)
        return self.criterion(scores.flatten(0, 1), gold.flatten())  # expect: ce-missing-ignore-index


# From here on everything is right.
ignoring = nn.CrossEntropyLoss(ignore_index=PAD)
loss = ignoring(torch.zeros(6, 9), targets.view(-1))
standard = pad_sequence(lines, batch_first=True, padding_value=-100)
loss = F.cross_entropy(torch.zeros(6, 9), standard.flatten())
each = F.cross_entropy(torch.zeros(6, 9), targets.flatten(), reduction="none")
loss = (each * (targets.flatten() != PAD)).mean()
weight = torch.ones(9)
weight[PAD] = 0
weighted = nn.CrossEntropyLoss(weight=weight)
loss = weighted(torch.zeros(6, 9), targets.view(-1))
classes = torch.tensor([1, 2, 3])
loss = F.cross_entropy(torch.zeros(3, 9), classes)
real = torch.cat(lines)
loss = F.cross_entropy(torch.zeros(4, 9), real)
padded_inputs = pad_sequence(lines, batch_first=True)
loss = F.cross_entropy(model(padded_inputs).mean(1), torch.tensor([1, 0]))


def unknown(scores, tokens):
    return F.cross_entropy(scores, tokens)
