"""A Dataset: how many samples there are, and one of them as tensors.

stops: Samples, rows
"""

import torch
from torch.utils.data import DataLoader, Dataset


# snippet:
class Samples(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        features, label = self.rows[index]
        return torch.tensor(features, dtype=torch.float32), torch.tensor(label)


# check:
features, labels = next(iter(DataLoader(Samples([([1, 2], 0), ([3, 4], 1)]), batch_size=2)))
assert features.tolist() == [[1.0, 2.0], [3.0, 4.0]] and labels.tolist() == [0, 1]
