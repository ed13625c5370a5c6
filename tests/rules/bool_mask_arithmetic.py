import pytest
import torch

x = torch.randn(4, 3)
keep = x > 0
near = x.abs() < 1
drop = 1 - keep  # expect: bool-mask-arithmetic "keep is bool, for which - raises: use ~keep"
ring = near - keep  # expect: bool-mask-arithmetic "use a ^ b, or a & ~b"
inverted = -keep  # expect: bool-mask-arithmetic "use ~keep to invert it"
outside = 1.0 - torch.isnan(x)  # expect: bool-mask-arithmetic "use ~torch.isnan(x)"
less = keep - 1  # expect: bool-mask-arithmetic "convert it, keep.float() or .int()"
weighted = x * (1 - (x == 0))  # expect: bool-mask-arithmetic
done = torch.tensor([True, False])
target = 0.99 * (1 - done)  # expect: bool-mask-arithmetic
split = torch.sub(near, keep)  # expect: bool-mask-arithmetic
noise = torch.randn(4, 3) - keep  # expect: bool-mask-arithmetic

# From here on everything is right.
drop = ~keep
drop = 1 - keep.float()
drop = 1 - keep.int()
drop = keep.logical_not()
ring = near ^ keep
both = near + keep
count = keep.sum() - 1
scale = keep * 2 - 1
numbers = 1 - (x > 0).to(x.dtype)
with pytest.raises(RuntimeError):
    1 - keep
flag = x.shape[0] > 2
one = 1 - flag
done = torch.tensor([1.0, 0.0])
target = 0.99 * (1 - done)


def unknown(mask):
    return 1 - mask
