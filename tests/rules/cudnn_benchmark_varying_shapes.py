import random

import torch
import torch.backends.cudnn as cudnn
import torch.nn.functional as F
from torch import nn
from torch.backends import cudnn as backend

cudnn.benchmark = True  # expect: cudnn-benchmark-varying-shapes "drawn in every step"
torch.backends.cudnn.benchmark = True  # expect: cudnn-benchmark-varying-shapes
backend.benchmark = True  # expect: cudnn-benchmark-varying-shapes
cudnn.benchmark = False
cudnn.deterministic = True
backend.enabled = True

conv = nn.Conv2d(3, 8, 3)


def multi_scale(loader):
    for images, target in loader:
        side = random.randrange(10, 20) * 32
        images = F.interpolate(images, size=(side, side), mode="bilinear")
        conv(images)
