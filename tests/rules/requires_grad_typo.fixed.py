import torch
from torch import nn

model = nn.Linear(3, 1)
for p in model.parameters():
    p.requires_grad = False  # expect: requires-grad-typo "p has no require_grad, and takes it without a word: write requires_grad"
for name, p in model.named_parameters():
    p.requires_grad = True  # expect: requires-grad-typo
model.weight.requires_grad = False  # expect: requires-grad-typo
x = torch.ones(3)
x.requires_grad = True  # expect: requires-grad-typo


def freeze(network):
    for parameter in network.parameters():
        parameter.requires_grad = False  # expect: requires-grad-typo


# From here on everything is right.
for p in model.parameters():
    p.requires_grad = False
x.requires_grad = True


class Settings:
    def __init__(self):
        self.require_grad = True


settings = Settings()
settings.require_grad = False


def configure(options):
    options.require_grad = True
    for option in options.all():
        option.require_grad = False
