import torch
import torch.distributed as dist
from torch import nn


def mean(value):
    dist.all_reduce(value)
    return value / dist.get_world_size()


def perhaps_mean(value, world_size):
    if world_size > 1:
        dist.all_reduce(value)
    return value / world_size


def save(model, rank):
    if rank == 0:
        torch.save(model.state_dict(), "model.pt")
        dist.barrier()  # expect: collective-in-one-rank "dist.barrier waits for all processes, but only one comes here, where rank == 0"


def log(loss):
    if dist.get_rank() == 0:
        print(mean(loss))  # expect: collective-in-one-rank "dist.all_reduce waits for all processes"


class Trainer:
    def finish(self, parts):
        if self.is_main_process():
            dist.all_gather_object(parts, 1)  # expect: collective-in-one-rank


# From here on everything is right.
def first_downloads(rank):
    if rank != 0:
        dist.barrier()
    net = nn.Linear(2, 2)
    if rank == 0:
        dist.barrier()
    return net


def both(rank, tensor):
    if rank == 0:
        dist.broadcast(tensor, src=0)
    else:
        dist.broadcast(tensor, src=0)


def of_a_group(rank, tensor, group):
    if rank == 0:
        dist.all_reduce(tensor, group=group)


def saved(model, rank):
    if rank == 0:
        torch.save(model.state_dict(), "model.pt")
    dist.barrier()


def alone(rank, world_size, value):
    if rank == 0:
        if world_size == 1:
            dist.barrier()
        print(perhaps_mean(value, 1))
    if rank == 0:
        dist.send(value, dst=1)
    elif rank == 1:
        dist.recv(value, src=0)
