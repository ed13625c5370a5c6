import pytest
import torch
from torch.utils.data import BatchSampler, DataLoader, IterableDataset, RandomSampler, TensorDataset
from torch.utils.data.distributed import DistributedSampler

data = TensorDataset(torch.zeros(8, 1))
workers = 0
options = {"num_workers": 0, "persistent_workers": True}
batches = BatchSampler(RandomSampler(data), 2, False)


class Stream(IterableDataset):
    def __iter__(self):
        return iter(range(4))


def build(world):
    sampler = DistributedSampler(data) if world > 1 else None
    return DataLoader(data, shuffle=True, sampler=sampler)  # expect: dataloader-conflicting-arguments "shuffle=True and a sampler exclude each other"


DataLoader(data, 4, prefetch_factor=2)  # expect: dataloader-conflicting-arguments "prefetch_factor=2 needs worker processes"
DataLoader(data, 4, num_workers=workers, persistent_workers=True)  # expect: dataloader-conflicting-arguments "persistent_workers=True needs worker processes"
DataLoader(data, 4, **options)  # expect: dataloader-conflicting-arguments
DataLoader(data, batch_size=4, batch_sampler=batches)  # expect: dataloader-conflicting-arguments "batch_sampler makes whole batches and excludes batch_size"
DataLoader(data, batch_sampler=batches, shuffle=True)  # expect: dataloader-conflicting-arguments "excludes shuffle"
DataLoader(data, batch_sampler=batches, sampler=RandomSampler(data))  # expect: dataloader-conflicting-arguments "excludes sampler"
DataLoader(Stream(), shuffle=True)  # expect: dataloader-conflicting-arguments "Stream is an IterableDataset"


# From here on everything is right.
def right(world, workers, **more):
    sampler = DistributedSampler(data) if world > 1 else None
    yield DataLoader(data, shuffle=sampler is None, sampler=sampler)
    yield DataLoader(data, 4, num_workers=workers, persistent_workers=workers > 0)
    yield DataLoader(data, 4, num_workers=workers, persistent_workers=True)
    yield DataLoader(data, 4, prefetch_factor=2, **more)


known = {"num_workers": 2}
changed = {"batch_size": 4}
changed.update(num_workers=2)
DataLoader(data, 4, prefetch_factor=2, **known)
DataLoader(data, prefetch_factor=2, **changed)
DataLoader(data, 4, prefetch_factor=None, persistent_workers=False)
DataLoader(data, batch_size=1, batch_sampler=batches, shuffle=False)
DataLoader(data, batch_sampler=None, batch_size=4, shuffle=True)
DataLoader(Stream(), shuffle=False)
DataLoader(Stream())
with pytest.raises(ValueError):
    DataLoader(data, 4, prefetch_factor=2)
