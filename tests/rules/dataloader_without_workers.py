import torch
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.zeros(8, 3))
options = {"batch_size": 4, "shuffle": True}

one = DataLoader(data, batch_size=10)  # expect: dataloader-without-workers "num_workers is 0"
two = DataLoader(data, batch_size=10, num_workers=0)  # expect: dataloader-without-workers
three = torch.utils.data.DataLoader(data, 10, False, None, None, 0)  # expect: dataloader-without-workers
four = DataLoader(data, **options)  # expect: dataloader-without-workers


# From here on everything is right.
def right(workers, more):
    yield DataLoader(data, 10, False, None, None, 2)
    yield DataLoader(data, num_workers=2)
    yield DataLoader(data, num_workers=workers)
    yield DataLoader(data, **more)
