import torch
from torch.utils.data import DataLoader, Dataset, default_collate


class Scans(Dataset):
    def __len__(self):
        return 10

    def __getitem__(self, index):
        if index == 4:
            return None  # expect: collate-none-sample "the loader cannot batch None"
        return torch.ones(2)


loader = DataLoader(Scans(), batch_size=3)

class Broken(Dataset):
    def __len__(self):
        return 10

    def __getitem__(self, index):
        try:
            return torch.ones(2) / index
        except ZeroDivisionError:  # expect: collate-none-sample "gives None where it goes on behind this"
            print("broken:", index)


class Odd(Broken):
    def __getitem__(self, index):
        if index % 2:  # expect: collate-none-sample
            return torch.ones(2)


class Forgotten(Broken):
    def __getitem__(self, index):
        sample = torch.ones(2)
        sample = sample * index  # expect: collate-none-sample "__getitem__ returns nothing"


loader = DataLoader(Broken(), batch_size=3)
loader = DataLoader(Odd(), batch_size=3)
loader = DataLoader(Forgotten(), batch_size=3)

# From here on everything is right.
class Dropped(Dataset):
    def __len__(self):
        return 10

    def __getitem__(self, index):
        if index == 4:
            return None
        return torch.ones(2)


class Unbatched(Dropped):
    def __getitem__(self, index):
        return None if index == 4 else torch.ones(2)


class Inner(Dataset):
    def __len__(self):
        return 10

    def __getitem__(self, index):
        def nothing():
            return None

        return torch.ones(2), nothing


def present(batch):
    return default_collate([sample for sample in batch if sample is not None])


loader = DataLoader(Dropped(), batch_size=3, collate_fn=present)
loader = DataLoader(Dropped(), batch_size=None)
loader = DataLoader(Inner(), batch_size=3)


class Modes(Dataset):
    """One of its modes always holds."""

    def __init__(self, mode):
        self.mode = mode

    def __len__(self):
        return 10

    def __getitem__(self, index):
        if self.mode == "train":
            return torch.ones(2), index
        elif self.mode == "test":
            return torch.ones(2), 0


class Tried(Modes):
    def __getitem__(self, index):
        while True:
            try:
                return torch.ones(2) / index
            except ZeroDivisionError:
                index = index + 1


class Retried(Modes):
    def __getitem__(self, index):
        for _ in range(3):
            try:
                return torch.ones(2) / index
            except ZeroDivisionError:
                index = index + 1


class Raises(Modes):
    def __getitem__(self, index):
        try:
            return torch.ones(2) / index
        except ZeroDivisionError:
            raise IndexError(index) from None


class Given(Modes):
    def __getitem__(self, index):
        with torch.no_grad():
            if index % 2:
                return torch.ones(2)
            else:
                return torch.zeros(2)


class Abstract(Modes):
    def __getitem__(self, index):
        """Said by those that derive from it."""


class Whole(Abstract):
    def __getitem__(self, index):
        return torch.ones(2)


class Deferred(Modes):
    def __getitem__(self, index):
        try:
            sample = torch.ones(2) / index
        except ZeroDivisionError:
            sample = torch.zeros(2)
        return sample


loader = DataLoader(Modes("train"), batch_size=3)
loader = DataLoader(Tried("train"), batch_size=3)
loader = DataLoader(Retried("train"), batch_size=3)
loader = DataLoader(Raises("train"), batch_size=3)
loader = DataLoader(Given("train"), batch_size=3)
loader = DataLoader(Whole("train"), batch_size=3)
loader = DataLoader(Deferred("train"), batch_size=3)
loader = DataLoader(Broken(), batch_size=3, collate_fn=present)
