import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, RandomSampler, TensorDataset


class Images(Dataset):
    def __len__(self):
        return 10

    def __getitem__(self, index):
        return torch.zeros(3)


class Stream(IterableDataset):
    def __iter__(self):
        return iter(range(3))


train_data = TensorDataset(torch.zeros(8, 1))
train_loader = DataLoader(train_data, batch_size=4)  # expect: train-loader-not-shuffled "train_loader gives the training data in its order"
trainloader = DataLoader(Images(), batch_size=4, num_workers=2)  # expect: train-loader-not-shuffled

# From here on everything is right.
options = {"batch_size": 4, "shuffle": True}
train_loader = DataLoader(train_data, batch_size=4, shuffle=True)
train_loader = DataLoader(train_data, batch_size=4, shuffle=False)
train_loader = DataLoader(train_data, batch_size=4, sampler=RandomSampler(train_data))
train_loader = DataLoader(train_data, **options)
train_loader = DataLoader(Stream(), batch_size=4)
train_eval_loader = DataLoader(train_data, batch_size=4)
test_loader = DataLoader(train_data, batch_size=4)


def build(dataset, **kwargs):
    train_loader = DataLoader(dataset, batch_size=4)
    train_loader = DataLoader(train_data, batch_size=4, **kwargs)
    return train_loader
