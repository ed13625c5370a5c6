import torch.multiprocessing as mp
from torch.multiprocessing import spawn


def work(rank, world_size):
    print(rank, world_size)


def flexible(rank, world_size=2, *rest):
    print(rank, world_size, rest)


if __name__ == "__main__":
    mp.spawn(work, args=(0, 2), nprocs=2)  # expect: spawn-arguments "spawn calls work with the number of the process and 2 more, 3 in all, but it takes 2"
    spawn(work, nprocs=2)  # expect: spawn-arguments "1 in all, but it takes 2"

    # From here on everything is right.
    mp.spawn(work, args=(2,), nprocs=2)
    mp.spawn(flexible, nprocs=2)
    mp.spawn(flexible, args=(1, 2, 3, 4), nprocs=2)
    rest = (1, 2)
    mp.spawn(work, args=(*rest,), nprocs=2)
    mp.spawn(work, rest, nprocs=2)
