import torch
import torch.nn.functional as F

labels = torch.randint(0, 5, (2, 1, 64, 64))
small = F.interpolate(labels.float(), size=(32, 32), mode="bilinear").long()  # expect: interpolate-labels-bilinear "labels holds class numbers, which bilinear mixes"
as_float = labels.to(torch.float32)
small = F.interpolate(as_float, scale_factor=0.5, mode="bicubic", align_corners=False)  # expect: interpolate-labels-bilinear
predicted = torch.randn(2, 5, 64, 64).argmax(dim=1)
large = F.interpolate(predicted[:, None].float(), (128, 128), mode="bilinear")  # expect: interpolate-labels-bilinear "predicted holds"
mapped = F.interpolate(predicted.unsqueeze(1).float(), size=32, mode="area")  # expect: interpolate-labels-bilinear


def resize(target, size):
    return F.interpolate(target[None].float(), size=size, mode="bilinear")[0].long()  # expect: interpolate-labels-bilinear "target[None].float()"


# From here on everything is right.
small = F.interpolate(labels.float(), size=(32, 32), mode="nearest").long()
small = F.interpolate(labels.float(), size=(32, 32)).long()
scores = torch.randn(2, 5, 64, 64)
large = F.interpolate(scores, size=(128, 128), mode="bilinear").argmax(1)
image = torch.randint(0, 256, (1, 3, 64, 64), dtype=torch.uint8)
resized = F.interpolate(image.float(), size=(32, 32), mode="bilinear").byte()
shown = F.interpolate(image.float() / 255, size=(32, 32), mode="bilinear")
one_hot = F.one_hot(labels[:, 0], 5).permute(0, 3, 1, 2).float() * 1.0
soft = F.interpolate(one_hot, size=(32, 32), mode="bilinear")
edge = F.interpolate(labels.float(), size=(32, 32), mode="bilinear") > 0.5
half = F.interpolate(labels.float(), size=(32, 32), mode="bilinear")
mask = half >= 0.5


def unknown(mask, size):
    return F.interpolate(mask, size=size, mode="bilinear")
