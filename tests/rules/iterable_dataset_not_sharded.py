import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

workers = 2


class Records(IterableDataset):
    def __init__(self, items):
        self.items = items

    def __iter__(self):
        return iter(self.items)


loader = DataLoader(Records([1, 2]), num_workers=workers)  # expect: iterable-dataset-not-sharded "each of the workers gives all samples of Records"


# From here on everything is right.
class Shared(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        return iter(range(info.id, 8, info.num_workers))


class Drawn(IterableDataset):
    def __iter__(self):
        while True:
            yield torch.randn(3)


def share(worker):
    get_worker_info().dataset.items = [worker]


def build(count):
    return DataLoader(Records([1]), num_workers=count)


loader = DataLoader(Shared(), num_workers=2)
loader = DataLoader(Drawn(), num_workers=2)
loader = DataLoader(Records([1]))
loader = DataLoader(Records([1]), num_workers=2, worker_init_fn=share)
loader = DataLoader([1, 2], num_workers=2)
