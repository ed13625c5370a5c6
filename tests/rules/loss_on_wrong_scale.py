import torch
import torch.nn.functional as F
from torch import nn

scores, labels, targets = torch.randn(8, 10), torch.randint(0, 10, (8,)), torch.rand(8, 10)
layer = nn.Linear(10, 10)
bce, bce_logits, nll, kl = nn.BCELoss(), nn.BCEWithLogitsLoss(), nn.NLLLoss(), nn.KLDivLoss(reduction="batchmean")

loss = F.binary_cross_entropy_with_logits(torch.sigmoid(scores), targets)  # expect: loss-on-wrong-scale "binary_cross_entropy_with_logits takes the sigmoid itself, but torch.sigmoid(scores) has been through one: give it the scores"
probs = scores.sigmoid()
loss = bce_logits(probs, targets)  # expect: loss-on-wrong-scale "BCEWithLogitsLoss takes the sigmoid itself, but probs has been through one (line 10)"
loss = F.binary_cross_entropy(layer(scores), targets)  # expect: loss-on-wrong-scale "takes probabilities"
loss = bce(layer(scores), targets)  # expect: loss-on-wrong-scale
loss = F.nll_loss(F.softmax(scores, 1), labels)  # expect: loss-on-wrong-scale "takes log-probabilities"
loss = nll(layer(scores), labels)  # expect: loss-on-wrong-scale
loss = kl(F.softmax(scores, 1), F.softmax(targets, 1))  # expect: loss-on-wrong-scale "takes log-probabilities first"


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(10, 10)

    def forward(self, x):
        return torch.sigmoid(self.lin(x))


tagger = Tagger()
loss = bce_logits(tagger(scores), targets)  # expect: loss-on-wrong-scale

# From here on everything is right.
loss = F.binary_cross_entropy_with_logits(scores, targets)
loss = bce_logits(layer(scores), targets)
loss = bce(tagger(scores), targets)
loss = bce(layer(scores).sigmoid(), targets)
loss = nll(F.log_softmax(layer(scores), 1), labels)
loss = nll(torch.log_softmax(scores, 1), labels)
loss = kl(F.log_softmax(scores, 1), F.softmax(targets, 1))
loss = F.kl_div(F.log_softmax(scores, 1), F.log_softmax(targets, 1), log_target=True, reduction="batchmean")
loss = F.mse_loss(torch.sigmoid(scores), targets)


def unknown(model, criterion, x):
    return criterion(torch.sigmoid(model(x)), targets)


def sometimes(x, last):
    x = layer(x)
    if last:
        x = F.log_softmax(x, 1)
    return nll(x, labels)
