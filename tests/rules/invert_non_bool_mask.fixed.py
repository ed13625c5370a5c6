import torch

x = torch.randn(3)
mask = torch.tensor([1, 0, 1], dtype=torch.uint8)
rest = x * ~mask.bool()  # expect: invert-non-bool-mask "mask is uint8, where ~ flips bits (~1 is 254, ~0 is 255): use ~mask.bool()"
valid = torch.tensor([1, 1, 0])
missing = (~valid.bool()).sum()  # expect: invert-non-bool-mask "~1 is -2"
padded = ~(x > 0).long().bool()  # expect: invert-non-bool-mask
other = torch.bitwise_not(mask)  # expect: invert-non-bool-mask
ones = torch.ones(3, dtype=torch.int32)
hidden = x * (~ones.bool()).float()  # expect: invert-non-bool-mask
mixed = ~mask.bool() & (x > 0)  # expect: invert-non-bool-mask

# From here on everything is right.
rest = x * ~mask.bool()
rest = x[~(mask == 1)]
rest = x * (1 - mask)
missing = (~valid.bool()).sum()
negative = ~(x > 0)
empty = ~torch.isnan(x)
flags = torch.tensor([5, 6, 7])
cleared = flags & ~valid
bits = torch.tensor([3, 4])
flipped = ~bits
away = mask.logical_not()
number = ~7


def unknown(mask):
    return ~mask
