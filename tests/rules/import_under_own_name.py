import torch.nn.functional as functional  # expect: import-under-own-name "from torch.nn import functional says the same"
import torchvision.datasets as datasets  # expect: import-under-own-name
import torchvision.models as models  # expect: import-under-own-name "torchvision.models is imported under its own name"
import torchvision.transforms as transforms, torch  # expect: import-under-own-name


def late():
    import torchvision.ops as ops  # expect: import-under-own-name

    return ops


# From here on everything is right.
import os.path as path
import torchvision.models.detection, torch.nn
import torch.nn.functional as F
import torchvision.models as cnn
from torchvision import models as models_too
from torchvision.models import resnet50
