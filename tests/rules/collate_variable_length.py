import random

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset


class Sentences(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return torch.tensor(self.rows[index])


class Texts(Dataset):
    texts = ["a b c", "d e"]
    vocab = {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}

    def __len__(self):
        return 2

    def __getitem__(self, index):
        ids = [self.vocab[word] for word in self.texts[index].split()]
        return torch.tensor(ids), 1


class Clips(Dataset):
    def __len__(self):
        return 10

    def __getitem__(self, index):
        length = random.randint(5, 20)
        return torch.randn(length, 8), index


class Growing(Dataset):
    def __len__(self):
        return 10

    def __getitem__(self, index):
        return torch.arange(index + 1)


rows = [[4, 2, 7], [5]]
loader = DataLoader(Sentences(rows), batch_size=2)  # expect: collate-variable-length "its samples differ in length"
loader = DataLoader(Sentences([[1], [2, 3]]), 2, shuffle=True)  # expect: collate-variable-length
loader = DataLoader(Texts(), batch_size=2)  # expect: collate-variable-length
loader = DataLoader(Clips(), batch_size=4)  # expect: collate-variable-length
loader = DataLoader(Growing(), batch_size=4)  # expect: collate-variable-length
samples = [torch.tensor([4, 2, 7]), torch.tensor([5])]
loader = DataLoader(samples, batch_size=2)  # expect: collate-variable-length
pairs = [(torch.ones(3), 0), (torch.ones(5), 1)]
loader = DataLoader(pairs, batch_size=2)  # expect: collate-variable-length


# From here on everything is right.
class Windows(Dataset):
    def __len__(self):
        return 10

    def __getitem__(self, index):
        start = random.randint(0, 5)
        return torch.arange(10)[start : start + 4], torch.tensor([index])


loader = DataLoader(Sentences(rows), batch_size=2, collate_fn=pad_sequence)
loader = DataLoader(Sentences(rows), batch_size=1)
loader = DataLoader(Sentences(rows))
loader = DataLoader(Sentences(rows), batch_size=None)
loader = DataLoader(Sentences([[1, 2], [3, 4]]), batch_size=2)
loader = DataLoader(Windows(), batch_size=2)
loader = DataLoader([torch.ones(3), torch.ones(3)], batch_size=2)


def loader_of(dataset):
    return DataLoader(dataset, batch_size=2)
