import torch
from torch.utils.data import Dataset, Subset, random_split


class Images(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 10

    def __getitem__(self, index):
        return self.transform(index)


train, valid = random_split(Images(abs), [8, 2])
valid.dataset.transform = str  # expect: shared-dataset-transform "all parts of the split hold the same dataset, so this sets transform for every one of them"

# From here on everything is right.
order = torch.randperm(10).tolist()
first, second = Subset(Images(abs), order[:8]), Subset(Images(str), order[8:])
second.dataset.transform = str
images = Images(abs)
images.transform = str
