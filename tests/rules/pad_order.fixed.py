import torch
import torch.nn.functional as F

image, top, bottom, left, right = torch.zeros(1, 3, 8, 8), 0, 2, 0, 4
out = F.pad(image, (left, right, top, bottom))  # expect: pad-order "pad begins with the last axis, left and right"
pad_h, pad_w = 3, 1
out = F.pad(image, (0, pad_w, 0, pad_h))  # expect: pad-order "use (0, pad_w, 0, pad_h)"
h, w = image.shape[-2:]
out = F.pad(image, [0, 32 - w, 0, 32 - h], value=0.5)  # expect: pad-order
amounts = (pad_w // 2, pad_w - pad_w // 2, pad_h // 2, pad_h - pad_h // 2)  # expect: pad-order
out = F.pad(image, amounts, mode="reflect")
padTop, padLeft = 1, 2
out = torch.nn.functional.pad(image, pad=(padLeft, padLeft, padTop, padTop))  # expect: pad-order

# From here on everything is right.
out = F.pad(image, (left, right, top, bottom))
out = F.pad(image, (0, pad_w, 0, pad_h))
out = F.pad(image, [0, 32 - w, 0, 32 - h])
out = F.pad(image, (1, 1, 2, 2))
out = F.pad(image, (0, pad_h))
out = F.pad(image.permute(0, 2, 3, 1), (0, 0, 0, pad_w, 0, pad_h))
out = F.pad(image.transpose(-1, -2), (0, pad_h, 0, pad_w))
size = 4
out = F.pad(image, (size, size, 0, 0))
both = h + w
out = F.pad(image, (both, both, pad_w, pad_w))


def unknown(x, before, after):
    return F.pad(x, (before, after, 0, 0))
