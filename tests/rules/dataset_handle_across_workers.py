import sqlite3

import h5py
import torch
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __init__(self, path):
        self.file = h5py.File(path, "r")  # expect: dataset-handle-across-workers "each worker gets a copy of self.file"
        self.count = len(self.file["images"])

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return torch.from_numpy(self.file["images"][index])


class Rows(Dataset):
    def __init__(self, path):
        self.base = sqlite3.connect(path)  # expect: dataset-handle-across-workers "SQLite forbids"

    def __len__(self):
        return 100

    def __getitem__(self, index):
        return self.base.execute("select x from rows where id = ?", (index,)).fetchone()[0]


class Lines(Dataset):
    def __init__(self, path, places):
        self.text = open(path)  # expect: dataset-handle-across-workers "move one another's place in the file"
        self.places = places

    def __len__(self):
        return len(self.places)

    def __getitem__(self, index):
        self.text.seek(self.places[index])
        return int(self.text.readline())


DataLoader(Images("images.h5"), batch_size=8, num_workers=4)
DataLoader(Rows("rows.db"), batch_size=8, num_workers=2)
DataLoader(Lines("lines.txt", [0, 2]), batch_size=8, num_workers=2)


# From here on everything is right.
class Late(Images):
    def __init__(self, path):
        self.path, self.handle = path, None

    def __getitem__(self, index):
        if self.handle is None:
            self.handle = h5py.File(self.path, "r")
        return torch.from_numpy(self.handle["images"][index])


class Counted(Dataset):
    """The file is only counted, and closed again."""

    def __init__(self, path):
        self.path = path
        self.text = open(path)
        self.count = len(self.text.readlines())
        self.text.close()

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return index


class Whole(Dataset):
    def __init__(self, path):
        with h5py.File(path, "r") as file:
            self.images = torch.from_numpy(file["images"][:])

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[index]


class Single(Images):
    """Read in the one process that opened it."""

    def __init__(self, path):
        self.own = h5py.File(path, "r")
        self.count = 10

    def __getitem__(self, index):
        return torch.from_numpy(self.own["images"][index])


class Carried(Single):
    def __getstate__(self):
        return {"count": self.count}


DataLoader(Late("images.h5"), batch_size=8, num_workers=4)
DataLoader(Counted("lines.txt"), batch_size=8, num_workers=4)
DataLoader(Whole("images.h5"), batch_size=8, num_workers=4)
DataLoader(Single("images.h5"), batch_size=8, num_workers=0)
DataLoader(Carried("images.h5"), batch_size=8, num_workers=2)
DataLoader(Images("images.h5"), batch_size=8, num_workers=workers_of_other_file)
DataLoader(Images("images.h5"), batch_size=8, num_workers=4, worker_init_fn=reopened)
