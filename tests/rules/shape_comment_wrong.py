import numpy as np
import torch
from torch import nn

a = torch.zeros(7, 9)  # torch-handbook: a = (7, 8)  # expect: shape-comment-wrong "a is [7, 9] here, not (7, 8)"
b = torch.zeros(7, 9)  # torch-handbook: b = (7, 9, 1)  # expect: shape-comment-wrong "b is [7, 9] here, not (7, 9, 1)"
c = torch.zeros(7, 9)  # torch-handbook: c = (N, N)  # expect: shape-comment-wrong "c is [7, 9] here, not (N, N)"
d = torch.zeros(7, 9)  # torch-handbook: d = (7, 9) int64  # expect: shape-comment-wrong "d is float32 here, not int64"
# torch-handbook: e = (7,)  # expect: shape-comment-wrong "e is [8] here"
e = torch.zeros(8)


def f(x):  # torch-handbook: x = (B, 3, 8, 8)  # expect: shape-comment-wrong "x is [2, 3, 9, 9] here, not (B, 3, 8, 8)"
    return x.mean()


f(torch.zeros(2, 3, 9, 9))
g = np.load("g.npy")  # torch-handbook: g = (3, H//2)  # expect: shape-comment-unreadable "H//2 is no size"
g = np.load("g.npy")  # torch-handbook: g = (3,) float23  # expect: shape-comment-unreadable "float23 is no dtype of torch"
g = np.load("g.npy")  # torch-handbook: h = (3,)  # expect: shape-comment-unreadable "no h is assigned on this line or the next one"
g = np.load("g.npy")  # torch-handbook: g is three numbers  # expect: shape-comment-unreadable "write a shape as x = (B, 3, 224, 224)"
g = np.load("g.npy")  # torch-handbook: g = (__import__("os"),)  # expect: shape-comment-unreadable "write a shape as"

# From here on everything is right.
h = torch.load("h.pt")  # torch-handbook: h = (4, 5) int64
i = torch.zeros(7, 9)  # torch-handbook: i = (7, _)  # a note
j = torch.zeros(7, 9)  # torch-handbook: j = (N, M)
k = torch.zeros(7, 9)  # torch-handbook: k = [7, 9] float32
# torch-handbook: images = (B, 3, 8, 8); labels = (B,) int64
images, labels = torch.load("batch.pt")
loss = nn.functional.cross_entropy(nn.Linear(192, 10)(images.flatten(1)), labels)


class Net(nn.Module):
    def forward(self, x, mask=None):
        # torch-handbook: x = (B, T, 16)
        # torch-handbook: mask = (B, T) bool
        return x.masked_fill(mask[..., None], 0)


def late(x):
    if loss > 0:
        x = x[:, :3]  # torch-handbook: x = (B, 3)
    return x


late(torch.zeros(4, 5))
# The line torch-handbook: x = (3, 4) in a sentence is not at its beginning, and so are those in strings:
text = "# torch-handbook: x = (3, 4"

# A comment that silences states no shape.
# torch-handbook: ignore-file[einsum-with-bmm-equivalent]
silenced = torch.einsum("bij,bjk->bik", torch.randn(8, 4, 4), torch.randn(8, 4, 4))  # Torch-Handbook: Ignore[einsum-with-bmm-equivalent]
