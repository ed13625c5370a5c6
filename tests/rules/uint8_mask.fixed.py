import torch

x = torch.randn(3)
mask = torch.tensor([1, 0, 1], dtype=torch.uint8)
filled = x.masked_fill(mask.bool(), 0.0)  # expect: uint8-mask "mask is uint8, and a mask must be bool: masked_fill raises, use mask.bool()"
x.masked_fill_((x > 0).byte().bool(), 0.0)  # expect: uint8-mask
some = torch.masked_select(x, mask.bool())  # expect: uint8-mask
some = x.masked_select(mask.view(-1).bool())  # expect: uint8-mask
zeros = torch.tensor([0, 1, 1])
filled = x.masked_fill(mask=zeros.bool(), value=0.0)  # expect: uint8-mask "zeros is int64"
picked = torch.where(zeros.bool(), x, -x)  # expect: uint8-mask "where raises"
picked = torch.where(mask.bool(), x, -x)  # expect: uint8-mask "where warns"
part = x[mask.bool()]  # expect: uint8-mask "indexing with it is deprecated"
x[mask.bool()] = 0  # expect: uint8-mask
future = torch.triu(torch.ones(3, 3, dtype=torch.uint8), diagonal=1)
scores = torch.randn(3, 3).masked_fill(future.bool(), float("-inf"))  # expect: uint8-mask "future is uint8"
causal = torch.tril(torch.ones(3, 3))
scores = torch.randn(3, 3).masked_fill(causal, float("-inf"))  # expect: uint8-mask "causal is float32"

# From here on everything is right.
filled = x.masked_fill(mask.bool(), 0.0)
filled = x.masked_fill(mask == 0, 0.0)
filled = x.masked_fill(causal[0] == 0, 0.0)
some = torch.masked_select(x, x > 0)
picked = torch.where(x > 0, x, -x)
places = torch.where(zeros)
part = x[zeros]
part = x[mask.bool()]
part = x[mask.long()]
low = x.masked_fill(torch.ones(3, dtype=torch.bool), 0.0)
upper = torch.triu(torch.ones(3, 3), diagonal=1).bool()
scores = torch.randn(3, 3).masked_fill(upper, float("-inf"))


def unknown(scores, mask):
    return scores.masked_fill(mask, 0.0)


def data_consistency(k, mask):
    """Keep what was measured.

    Args:
        k: of shape (B, C, H, W, 2)
        mask: of shape (1, 1, 1, W, 1)
    """
    return torch.where(mask, k, torch.zeros(1, 1, 1, 1, 1))
