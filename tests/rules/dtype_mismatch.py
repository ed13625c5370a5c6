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
nn.Conv2d(3, 4, 3)(pixels)  # expect: model-input-dtype-mismatch "pixels is uint8, but the weights of Conv2d are not: use pixels.float()"

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
