import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(8, 4)

    def forward(self, x):
        scores = self.proj(x)
        if scores.max(dim=1).values > 0:  # expect: ambiguous-tensor-bool "has 16 elements"
            return scores
        if scores.mean() > 0 and scores.shape[1] == 4:
            return scores * 2
        return scores.abs() if scores.amax() < 1 else x


Gate()(torch.randn(16, 8))


def accuracy(logits, labels):
    if logits.argmax(1) == labels:  # expect: ambiguous-tensor-bool "use torch.equal(logits.argmax(1), labels)"
        return 1.0
    return (logits.argmax(1) == labels).float().mean()


accuracy(torch.randn(4, 3), torch.tensor([0, 1, 2, 0]))
