import torch
from torch import nn
from torch.optim import lr_scheduler

optimizer = torch.optim.SGD(nn.Linear(2, 1).parameters(), lr=0.1)
steps = lr_scheduler.StepLR(optimizer, step_size=2)
cosine = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)
chain = lr_scheduler.ChainedScheduler([steps])
series = lr_scheduler.SequentialLR(optimizer, [steps, cosine], [4])

for epoch in range(4):
    optimizer.step()
    steps.step(epoch)  # expect: scheduler-step-with-epoch "StepLR.step takes epoch for the number of the epoch"
    cosine.step(epoch=epoch + 1)  # expect: scheduler-step-with-epoch "CosineAnnealingLR.step takes epoch + 1"
    loss = torch.rand(())
    steps.step(loss.item())  # expect: scheduler-step-with-epoch "takes loss.item() for the number of the epoch"
    chain.step(epoch)  # expect: scheduler-step-with-epoch "ChainedScheduler.step takes no argument"
    series.step(epoch)  # expect: scheduler-step-with-epoch "raises TypeError"


# From here on everything is right.
def right(scheduler, timestep, sample, metric):
    warm = lr_scheduler.CosineAnnealingWarmRestarts(optimizer, 5)
    plateau = lr_scheduler.ReduceLROnPlateau(optimizer)
    for epoch in range(4):
        optimizer.step()
        steps.step()
        steps.step(None)
        warm.step(epoch + 0.5)  # the fraction of a period is what it is for
        plateau.step(metric)
        scheduler.step(epoch)
        scheduler.step(timestep, sample)
