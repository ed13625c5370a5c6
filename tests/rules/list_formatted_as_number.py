import torch
from torch import nn

model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2)
for epoch in range(3):
    optimizer.step()
    scheduler.step()
    print(f"{epoch}: rate {scheduler.get_last_lr():.4f}")  # expect: list-formatted-as-number "get_last_lr gives a list, which has no format .4f"

# From here on everything is right.
print(f"rate {scheduler.get_last_lr()[0]:.4f} of {scheduler.get_last_lr()}")
print(f"{scheduler.get_last_lr()!s:>20} {str(scheduler.get_last_lr()):>20}")
width = 8
print(f"{scheduler.get_last_lr()[0]:{width}.3f}")


class Own(torch.optim.lr_scheduler.StepLR):
    def get_last_lr(self):
        return super().get_last_lr()[0]


own = Own(optimizer, step_size=2)
print(f"{own.get_last_lr():.3f}")


def log(schedule):
    print(f"{schedule.get_last_lr():.4f}")
