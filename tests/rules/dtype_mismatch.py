import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

scores = torch.randn(8, 10)
labels = torch.zeros(8)
F.cross_entropy(scores, labels)  # expect: dtype-mismatch "labels is float32, but cross_entropy takes int64 here: use labels.long()"
flags = torch.randint(0, 2, (8,))
F.binary_cross_entropy_with_logits(scores[:, 0], flags)  # expect: dtype-mismatch "flags is int64, but binary_cross_entropy_with_logits takes float32 here: use flags.float()"
ids = torch.zeros(4, 5)
nn.Embedding(10, 3)(ids)  # expect: dtype-mismatch "ids is float32, but Embedding takes int64 or int32 here: use ids.long()"
accuracy = (scores.argmax(1) == flags).mean()  # expect: dtype-mismatch "scores.argmax(1) == flags is bool, and mean() takes floats: use float() before it"
counts = torch.arange(3).mean()  # expect: dtype-mismatch "use float() before it"
images = torch.zeros(2, 3, dtype=torch.uint8)
images /= 255  # expect: dtype-mismatch "images is uint8 and cannot hold a quotient: write images = images / …"
pixels = torch.randint(0, 256, (2, 3, 8, 8), dtype=torch.uint8)
nn.Conv2d(3, 4, 3)(pixels)  # expect: model-input-dtype-mismatch "pixels is uint8, but the weights of nn.Conv2d(3, 4, 3) are float32: use pixels.float()"

counts = torch.randint(0, 5, (10, 30))
topics = torch.randn(30, 4)
found = counts @ topics  # expect: dtype-mismatch "counts is int64 and topics float32: @ takes one dtype, use counts.float()"
found = torch.mm(topics.t().double(), topics)  # expect: dtype-mismatch "topics.t().double() is float64 and topics float32: mm takes one dtype, use topics.t().double().float()"
shares = torch.softmax(counts, dim=1)  # expect: dtype-mismatch "counts is int64, but softmax takes float32 here: use counts.float()"
spread = counts.std()  # expect: dtype-mismatch "counts is int64, and std() takes floats: use float() before it"
drawn = torch.multinomial(counts[0], 2)  # expect: dtype-mismatch "multinomial takes float32 here"
balance = torch.tensor(np.array([0.5, 0.2, 0.3]))
weighted = nn.CrossEntropyLoss(weight=balance)
weighted(torch.randn(2, 3), torch.tensor([0, 2]))  # expect: dtype-mismatch "the weight is float64, but CrossEntropyLoss takes float32 here"
classes = torch.tensor([0, 2], dtype=torch.int32)
F.cross_entropy(torch.randn(2, 3), classes)  # expect: dtype-mismatch "classes is int32, but cross_entropy takes int64 here: use classes.long()"
chance = torch.sigmoid(torch.randn(6, 1))
nn.BCELoss()(chance, torch.ones(6, 1).double())  # expect: dtype-mismatch "is float64, but BCELoss takes float32 here"
table = torch.zeros(5, 3)
rows = torch.ones(2, 3).double()
table[torch.tensor([0, 2])] = rows  # expect: dtype-mismatch "table is float32 and rows float64: an assignment to chosen rows converts nothing, use rows.float()"
inside = table[:, 0] > 0 & table[:, 1]  # expect: dtype-mismatch "& is not defined for float32: it binds closer than a comparison, put brackets around both"
halves = torch.arange(3)
halves *= 0.5  # expect: dtype-mismatch "halves is int64 and cannot hold what is computed with floats: write halves = halves * …"
F.one_hot(torch.tensor([0.0, 2.0]), 3)  # expect: dtype-mismatch "torch.tensor([0.0, 2.0]) is float32, but one_hot takes int64 here"
begin = torch.zeros(1, 2, 4).double()
nn.GRU(3, 4)(torch.randn(7, 2, 3), begin)  # expect: dtype-mismatch "the state is float64, but GRU takes float32 here"

# From here on everything is right.
F.cross_entropy(scores, labels.long())
F.cross_entropy(scores, scores.softmax(1))
F.cross_entropy(scores, flags.to(torch.uint8))
F.binary_cross_entropy_with_logits(scores[:, 0], flags.float())
nn.Embedding(10, 3)(flags)
nn.Embedding(10, 3)(flags.int())
(scores.argmax(1) == flags).float().mean()
(scores > 0).sum() / 8
images = images / 255
images //= 2
scores += flags[:, None]
scores.mean()
nn.Conv2d(3, 4, 3)(pixels / 255)
found = counts.float() @ topics
found = counts @ counts.t()
found = counts * topics[0, 0]
shares = torch.softmax(counts, dim=1, dtype=torch.float32)
spread = counts.float().std()
drawn = torch.bernoulli(counts, 0.5)
drawn = torch.rand_like(counts, dtype=torch.float32)
nn.CrossEntropyLoss(weight=balance.float())(torch.randn(2, 3), torch.tensor([0, 2]))
nn.CrossEntropyLoss(weight=balance)(torch.randn(2, 3).double(), torch.tensor([0, 2]))
F.binary_cross_entropy(chance, torch.ones(6, 1))
table[0:2] = rows
table[torch.tensor([0, 2])] = rows.float()
table[torch.tensor([0, 2])] = rows[0, 0]
inside = (table[:, 0] > 0) & (table[:, 1] > 0)
halves = torch.arange(3) * 0.5
halves *= 2
F.one_hot(torch.tensor([0, 2]), 3)
both = torch.arange(3)
both *= 2
nn.GRU(3, 4)(torch.randn(7, 2, 3), begin.float())
with torch.autocast("cuda", dtype=torch.float16):
    mixed = topics.half() @ topics.t()


class Tokens(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(10, 4)
        self.last = None

    def forward(self, inputs, target, mask=None):
        _, t = inputs.shape
        if self.last is None or self.last.size(0) != t:
            self.last = torch.ones(t, t)
        return self.embedding(inputs) * 2 + self.embedding(target)
