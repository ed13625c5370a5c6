import torch
import torch.nn.functional as F
from torch import nn

net, criterion = nn.Linear(3, 4), nn.MSELoss()
x, labels = torch.randn(8, 3), torch.rand(8)

guess = net(x).argmax(1).float()
loss = criterion(guess, labels)
loss.requires_grad = True  # expect: requires-grad-set-on-result "this makes loss a leaf of its own, and loss.backward() reaches no weight"
loss.backward()

other = F.mse_loss(guess, labels)
other.requires_grad_()  # expect: requires-grad-set-on-result
other.backward()

# From here on everything is right.
x.requires_grad = True
loss = net(x).mean()
loss.backward()
leaf = torch.tensor(1.0)
leaf.requires_grad_()
leaf.backward()
image = x.detach()
image.requires_grad_(True)
net(image).mean().backward()
frozen = net(x)
frozen.requires_grad = False


def attack(images):
    images = images.detach()
    images.requires_grad = True
    loss = net(images).mean()
    loss.backward()
    return images.grad


def given(loss):
    loss.requires_grad = True
    loss.backward()
