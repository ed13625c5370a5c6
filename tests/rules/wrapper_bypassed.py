import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def train(rank, batches):
    model = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3))
    ddp = DDP(model, device_ids=[rank])
    ddp = nn.SyncBatchNorm.convert_sync_batchnorm(ddp)  # expect: sync-batchnorm-after-ddp "ddp is wrapped already"
    return ddp


def loop(batches):
    ddp = DDP(nn.Linear(3, 1))
    optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1)
    for x, y in batches:
        optimizer.zero_grad()
        F.mse_loss(ddp.module(x), y).backward()  # expect: wrapper-bypassed "ddp.module runs past the wrapper, so gradients are not exchanged"
        optimizer.step()


# From here on everything is right.
def right(rank, batches):
    model = nn.SyncBatchNorm.convert_sync_batchnorm(nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3)))
    ddp = DDP(model, device_ids=[rank])
    optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1)
    for x, y in batches:
        optimizer.zero_grad()
        F.mse_loss(ddp(x), y).backward()
        optimizer.step()
    with torch.no_grad():
        for x, y in batches:
            print(ddp.module(x))
    torch.save(ddp.module.state_dict(), "model.pt")


def twice(batches):
    """The inner network gives a target, the wrapper is trained."""
    ddp = DDP(nn.Linear(3, 1))
    optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1)
    for x in batches:
        optimizer.zero_grad()
        F.mse_loss(ddp(x), ddp.module(x).detach()).backward()
        optimizer.step()
