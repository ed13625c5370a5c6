import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, RandomSampler, SequentialSampler


class Squares(Dataset):
    def __init__(self):
        self.rows = [torch.tensor(i**2) for i in range(10)]

    def __getitem__(self, index):
        return self.rows[index]


shuffled = DataLoader(Squares(), batch_size=4, shuffle=True)  # expect: dataset-without-length "Squares has no __len__, by which the loader counts its samples"
data = Squares()
plain = DataLoader(data, batch_size=4)  # expect: dataset-without-length


class Cubes(Squares):
    def __getitem__(self, index):
        return self.rows[index] ** 2


cubes = DataLoader(dataset=Cubes(), batch_size=4, sampler=None)  # expect: dataset-without-length


# From here on everything is right.
class Counted(Squares):
    def __len__(self):
        return len(self.rows)


class Listed(list):
    def __getitem__(self, index):
        return torch.ones(2)


class Stream(IterableDataset):
    def __iter__(self):
        yield from range(10)


class Handed(Dataset):
    """Asks another dataset for what it lacks."""

    def __init__(self, inner):
        self.inner = inner

    def __getitem__(self, index):
        return self.inner[index]

    def __getattr__(self, name):
        return getattr(self.inner, name)


class Elsewhere(Unknown):
    def __getitem__(self, index):
        return torch.ones(2)


DataLoader(Counted(), batch_size=4, shuffle=True)
DataLoader(Listed([1, 2]), batch_size=2, shuffle=True)
DataLoader(Stream(), batch_size=2)
DataLoader(Handed(Counted()), batch_size=2)
DataLoader(Elsewhere(), batch_size=2)
DataLoader(Squares(), batch_size=2, sampler=SequentialSampler(range(10)))
DataLoader(Squares(), batch_sampler=[[0, 1], [2, 3]])
DataLoader(Squares(), batch_size=2, sampler=unknown)
options = {"sampler": RandomSampler(range(10))}
DataLoader(Squares(), **options)
