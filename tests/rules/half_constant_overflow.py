import torch
import torch.nn.functional as F

NEGATIVE = -1e9
scores = torch.randn(2, 4, 4).half()
pad = torch.tensor([[False, True, True, True]])
scores = scores.masked_fill(pad, -1e9)  # expect: half-constant-overflow "-1e9 is beyond float16, which ends at 65504"
scores.masked_fill_(pad, value=NEGATIVE)  # expect: half-constant-overflow "masked_fill_ raises"
filled = torch.full((2, 2), -1e10, dtype=torch.float16)  # expect: half-constant-overflow "full raises"
scores[:, 0] = -1e5  # expect: half-constant-overflow "it becomes infinite, or raises in older versions; use torch.finfo(scores.dtype).min"
lowest = scores.masked_fill(pad, torch.finfo(torch.float32).min)  # expect: half-constant-overflow
image = torch.zeros(4, dtype=torch.float16).fill_(100000)  # expect: half-constant-overflow "torch.finfo(x.dtype).max"
padded = F.pad(scores, (1, 1), value=-1e9)  # expect: half-constant-overflow
like = torch.full_like(scores, -1e9)  # expect: half-constant-overflow
new = scores.new_full((2,), -1e9)  # expect: half-constant-overflow
bounded = scores.clamp(min=-1e9)  # expect: half-constant-overflow


def attend(q, k, mask):
    weights = (q @ k.transpose(-2, -1)).masked_fill(mask, -1e9)  # expect: half-constant-overflow
    return weights.softmax(-1)


attend(torch.randn(2, 4, 8).to(torch.float16), torch.randn(2, 3, 8).to(torch.float16), torch.zeros(4, 3, dtype=torch.bool))

# From here on everything is right.
scores = scores.masked_fill(pad, torch.finfo(scores.dtype).min)
scores = scores.masked_fill(pad, float("-inf"))
scores = scores.masked_fill(pad, -1e4)
scores = scores.masked_fill(pad, torch.finfo(torch.float16).min)
single = torch.randn(2, 4).masked_fill(pad, -1e9)
brain = torch.randn(2, 4).bfloat16().masked_fill(pad, -1e9)
again = scores.float().masked_fill(pad, -1e9)
scores[:, 0] = 65504
scores[:, 1] = -float("inf")
plain = torch.full((2, 2), -1e10)
count = torch.full((2,), 100000)


def unknown(weights, mask):
    return weights.masked_fill(mask, -1e9)
