import torch
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.arange(8)), batch_size=2)
dataiter = iter(loader)
(first,) = next(dataiter)  # expect: next-method-of-iterator "iterators have no next() of their own: write next(dataiter)"
(second,) = next(iter(loader))  # expect: next-method-of-iterator


# From here on everything is right.
class Prefetcher:
    def next(self):
        return 1


prefetcher = Prefetcher()
batch = prefetcher.next()
third = next(dataiter)
