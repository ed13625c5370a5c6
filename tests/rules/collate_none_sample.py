import torch
from torch.utils.data import DataLoader, Dataset, default_collate


class Scans(Dataset):
    def __getitem__(self, index):
        if index == 4:
            return None  # expect: collate-none-sample "the loader cannot batch None"
        return torch.ones(2)


loader = DataLoader(Scans(), batch_size=3)


# From here on everything is right.
class Dropped(Dataset):
    def __getitem__(self, index):
        if index == 4:
            return None
        return torch.ones(2)


class Unbatched(Dropped):
    def __getitem__(self, index):
        return None if index == 4 else torch.ones(2)


class Inner(Dataset):
    def __getitem__(self, index):
        def nothing():
            return None

        return torch.ones(2), nothing


def present(batch):
    return default_collate([sample for sample in batch if sample is not None])


loader = DataLoader(Dropped(), batch_size=3, collate_fn=present)
loader = DataLoader(Dropped(), batch_size=None)
loader = DataLoader(Inner(), batch_size=3)
