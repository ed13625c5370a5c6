import random

import torchvision
from torchvision import models
from torchvision.models.resnet import resnet18
from torchvision.transforms import ToTensor, v2
from torchvision.transforms.v2 import ToImage, ToTensor as OldToTensor  # expect: torchvision-pretrained "v2.ToTensor is deprecated"

flag = random.choice([False, True])

net = models.resnet50(weights="IMAGENET1K_V1")  # expect: torchvision-pretrained "pretrained is deprecated since torchvision 0.13: use weights="
net = torchvision.models.resnet50(weights="IMAGENET1K_V1")  # expect: torchvision-pretrained
net = models.resnet50(weights=None, progress=False)  # expect: torchvision-pretrained "use weights=None"
net = models.resnet50(pretrained=flag)  # expect: torchvision-pretrained "use weights, which takes a name or None"
net = resnet18(weights="IMAGENET1K_V1")  # expect: torchvision-pretrained
net = models.segmentation.fcn_resnet50(weights="COCO_WITH_VOC_LABELS_V1")  # expect: torchvision-pretrained
net = models.detection.ssd300_vgg16(weights="COCO_V1", weights_backbone=None)  # expect: torchvision-pretrained; torchvision-pretrained
steps = v2.Compose([v2.ToTensor()])  # expect: torchvision-pretrained

# From here on everything is right.
net = models.resnet50(weights="IMAGENET1K_V1")
net = models.resnet50(weights=models.ResNet50_Weights.DEFAULT)
net = models.resnet50(models.ResNet50_Weights.DEFAULT)
net = models.resnet50(flag)
steps = v2.Compose([v2.ToImage(), ToImage(), ToTensor()])
layers = models.vgg.make_layers(models.vgg.cfgs["D"], False)


class Net:
    def resnet50(self, pretrained):
        return pretrained


Net().resnet50(pretrained=True)
