from torch.nn import functional  # expect: import-under-own-name "from torch.nn import functional says the same"
from torchvision import datasets  # expect: import-under-own-name
from torchvision import models  # expect: import-under-own-name "torchvision.models is imported under its own name"
import torchvision.transforms as transforms, torch  # expect: import-under-own-name


def late():
    from torchvision import ops  # expect: import-under-own-name

    return ops


# From here on everything is right.
import os.path as path
import torchvision.models.detection, torch.nn
import torch.nn.functional as F
import torchvision.models as cnn
from torchvision import models as models_too
from torchvision.models import resnet50
