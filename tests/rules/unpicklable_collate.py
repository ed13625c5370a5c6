import functools

import torch
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.zeros(8, 3))


def collate(samples):
    return samples


def make_loader(size):
    def local_collate(samples):
        return samples[:size]

    return DataLoader(
        data,
        batch_size=4,
        num_workers=2,
        multiprocessing_context="spawn",
        collate_fn=local_collate,  # expect: unpicklable-collate "collate_fn is a function inside make_loader, which cannot be pickled, and workers here are spawned"
    )


spawned = DataLoader(data, num_workers=2, multiprocessing_context="spawn", collate_fn=lambda samples: samples)  # expect: unpicklable-collate "collate_fn is a lambda"
by_default = DataLoader(data, 4, num_workers=2, collate_fn=lambda samples: samples)  # expect: unpicklable-collate "workers are spawned on Windows and macOS"
seeded = DataLoader(data, num_workers=4, worker_init_fn=lambda i: torch.manual_seed(i))  # expect: unpicklable-collate "worker_init_fn is a lambda"
partial = DataLoader(data, num_workers=4, collate_fn=functools.partial(lambda pad, samples: samples, 0))  # expect: unpicklable-collate
short = lambda samples: samples  # noqa: E731
named = DataLoader(data, num_workers=4, collate_fn=short)  # expect: unpicklable-collate

# From here on everything is right.
plain = DataLoader(data, num_workers=2, collate_fn=collate)
bound = DataLoader(data, num_workers=2, collate_fn=functools.partial(collate))
alone = DataLoader(data, collate_fn=lambda samples: samples)
zero = DataLoader(data, num_workers=0, collate_fn=lambda samples: samples)


def loader_of(workers, function):
    return DataLoader(data, num_workers=workers, collate_fn=lambda samples: samples), DataLoader(data, num_workers=2, collate_fn=function)
