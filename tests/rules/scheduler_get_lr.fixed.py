import torch
from torch import nn
from torch.optim import lr_scheduler

model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = lr_scheduler.StepLR(optimizer, step_size=2)
for epoch in range(4):
    optimizer.step()
    scheduler.step()
    print(epoch, scheduler.get_last_lr()[0])  # expect: scheduler-get-lr "get_lr computes what scheduler is to set next"


class Trainer:
    def __init__(self, network):
        self.optimizer = torch.optim.AdamW(network.parameters(), lr=1e-3)
        self.schedule = lr_scheduler.CosineAnnealingLR(self.optimizer, T_max=10)

    def log(self):
        return {"lr": self.schedule.get_last_lr()[0]}  # expect: scheduler-get-lr "self.schedule"


# From here on everything is right.
print(scheduler.get_last_lr())


class Halved(lr_scheduler.StepLR):
    """A scheduler of one's own is asked by its step, and may ask the one that it derives from."""

    def get_lr(self):
        return [rate / 2 for rate in super().get_lr()]


class Engine:
    """What DeepSpeed returns has a get_lr of its own."""

    def get_lr(self):
        return [0.1]


halved = Halved(optimizer, step_size=3)
halved.get_lr()
Engine().get_lr()
plateau = lr_scheduler.ReduceLROnPlateau(optimizer)


def rate_of(schedule):
    return schedule.get_lr()[0]


try:
    rate = scheduler.get_last_lr()
except AttributeError:
    rate = scheduler.get_lr()
