"""A collate_fn that pads sequences of different length, and keeps their lengths.

stops: collate, 0
"""

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

# given:
samples = [(torch.ones(length, dtype=torch.int64), length % 2) for length in (3, 5, 2)]


# snippet:
def collate(batch):
    sequences = [sequence for sequence, _ in batch]
    lengths = torch.tensor([len(sequence) for sequence in sequences])
    padded = pad_sequence(sequences, batch_first=True, padding_value=0)
    labels = torch.tensor([label for _, label in batch])
    return padded, lengths, labels


# check:
padded, lengths, labels = next(iter(DataLoader(samples, batch_size=3, collate_fn=collate)))
assert padded.shape == (3, 5) and lengths.tolist() == [3, 5, 2] and labels.tolist() == [1, 1, 0]
