import torch
from torch import nn

net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU())
image = torch.rand(1, 3, 8, 8)
features = net(image)
features.mean().backward()
print(features.grad.abs().mean())  # expect: grad-of-nonleaf "features is no leaf: an operation made it, so its .grad stays None"


def attack(image, step):
    image = image.clone().requires_grad_(True)
    scaled = (image - 0.5) / 0.25
    net(scaled).sum().backward()
    wrong = scaled.grad.sign()  # expect: grad-of-nonleaf "scaled is no leaf"
    return step * image.grad.sign() + wrong


attack(image, 0.1)
weight = net[0].weight
print(weight.grad, image.grad)
inner = torch.rand(3).requires_grad_()
inner.sum().backward()
print(inner.grad)
alone = features.detach()
print(alone.grad)


def unseen(tensor):
    return tensor.grad
