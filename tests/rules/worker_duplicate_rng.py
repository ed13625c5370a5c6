import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Noise(Dataset):
    def __len__(self):
        return 10

    def __init__(self):
        self.rng = np.random.default_rng(0)  # expect: worker-duplicate-rng "every worker has a copy of self.rng"

    def __getitem__(self, index):
        return self.rng.random()


loader = DataLoader(Noise(), num_workers=2)


# From here on everything is right.
class Late(Dataset):
    def __len__(self):
        return 10

    def __init__(self):
        self.rng = None

    def __getitem__(self, index):
        if self.rng is None:
            self.rng = np.random.default_rng(torch.utils.data.get_worker_info().seed)
        return self.rng.random()


class Once(Dataset):
    def __len__(self):
        return 10

    def __init__(self):
        self.rng = np.random.default_rng(0)
        self.order = self.rng.permutation(10)

    def __getitem__(self, index):
        return self.order[index]


class Alone(Dataset):
    def __len__(self):
        return 10

    def __init__(self):
        self.rng = np.random.default_rng(0)

    def __getitem__(self, index):
        return self.rng.random()


class Seeded(Alone):
    def __init__(self):
        self.rng = np.random.default_rng(0)


loader = DataLoader(Late(), num_workers=2)
loader = DataLoader(Once(), num_workers=2)
loader = DataLoader(Alone(), num_workers=0)
loader = DataLoader(Seeded(), num_workers=2, worker_init_fn=print)
