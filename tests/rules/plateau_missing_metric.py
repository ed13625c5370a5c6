import torch
from torch import nn
from torch.optim import lr_scheduler

optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1)
scheduler = lr_scheduler.ReduceLROnPlateau(optimizer, "min")
scheduler.step()  # expect: plateau-missing-metric "scheduler is a ReduceLROnPlateau, whose step takes the metric that it watches"


def pick(optimizer, policy):
    if policy == "plateau":
        return lr_scheduler.ReduceLROnPlateau(optimizer)
    return lr_scheduler.StepLR(optimizer, 2)


picked = pick(optimizer, "plateau")
picked.step()  # expect: plateau-missing-metric

# From here on everything is right.
scheduler.step(0.5)
scheduler.step(metrics=0.5)
stepped = pick(optimizer, "step")
stepped.step()
counted = lr_scheduler.StepLR(optimizer, 2)
counted.step()


def train(scheduler, policy):
    other = pick(optimizer, policy)
    other.step()
    scheduler.step()


class Warmup(lr_scheduler.ReduceLROnPlateau):
    def step(self, metrics=None):
        super().step(metrics if metrics is not None else 0.0)


Warmup(optimizer).step()
