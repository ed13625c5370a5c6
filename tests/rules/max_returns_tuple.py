import torch
import torch.nn.functional as F

logits, labels = torch.randn(4, 3), torch.tensor([0, 1, 2, 0])
predicted = torch.max(logits, 1)
correct = (predicted == labels).sum()  # expect: max-returns-tuple "predicted is the pair of values and indices that max gives"
hits = torch.max(logits, dim=-1) == labels  # expect: max-returns-tuple
best = logits.max(dim=1)
loss = F.mse_loss(best, torch.zeros(4))  # expect: max-returns-tuple "best is the pair"
target = 1.0 + 0.99 * logits.max(1)  # expect: max-returns-tuple "logits.max(1) is the pair"
low = logits.min(1)
gap = low - 1  # expect: max-returns-tuple "that min gives"
top = torch.topk(logits, 1)
wrong = top.float()  # expect: max-returns-tuple "that topk gives"
places = torch.sort(logits, dim=1).detach()  # expect: max-returns-tuple "that sort gives"
middle = -logits.median(dim=1)  # expect: max-returns-tuple
if labels != predicted:  # expect: max-returns-tuple
    print("never equal")
weights = F.softmax(torch.max(logits, 1), dim=0)  # expect: max-returns-tuple

# From here on everything is right.
values, predicted = torch.max(logits, 1)
correct = (predicted == labels).sum()
_, again = logits.max(1)
hits = again.eq(labels)
hits = torch.max(logits, 1)[1] == labels
hits = torch.max(logits, dim=1).indices == labels
target = 1.0 + 0.99 * logits.max(1).values
target = 1.0 + 0.99 * logits.max(1)[0]
peak = torch.max(logits)
scaled = logits / logits.max()
wider = torch.max(logits, torch.zeros(4, 3)) - 1
wider = torch.maximum(logits, torch.zeros(4, 3)) * 2
sides = torch.sort(logits)
first = sides[0] - sides.values
total = sum(logits.max(1))
pair = logits.max(1)
if pair is not None:
    print(len(pair), tuple(pair))
biggest = max(1, 2) == 2


def of_anything(frame, other):
    return frame.max(1) - 1, frame.sort() == other
