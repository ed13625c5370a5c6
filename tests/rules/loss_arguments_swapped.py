import torch
import torch.nn.functional as F
from torch import nn

criterion = nn.CrossEntropyLoss()
logits, labels = torch.randn(4, 2), torch.randint(2, (4,))
outputs, targets = torch.rand(4), torch.rand(4).round()
loss = criterion(labels, logits)  # expect: loss-arguments-swapped "criterion takes the prediction first, but gets labels, then logits: swap them"
loss = F.binary_cross_entropy(targets, outputs)  # expect: loss-arguments-swapped


def step(loss_fn, y_pred, y_true):
    return loss_fn(y_true, y_pred)  # expect: loss-arguments-swapped


step(nn.BCEWithLogitsLoss(), outputs, targets)

# From here on everything is right.
loss = criterion(logits, labels)
loss = F.mse_loss(targets, outputs)
loss = F.cross_entropy(logits, target=labels)


def other(loss_fn, y_pred, y_true):
    return loss_fn(y_true, y_pred)


def margin(labels, logits):
    return labels - logits


loss = margin(labels, logits)
