"""Packed sequences, whose batch sizes are data: what is unpacked has no known length, and nothing about it is a failure."""

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pack_sequence, pad_packed_sequence, unpack_sequence

batch = torch.zeros(2, 7, 5)
packed = pack_padded_sequence(batch, torch.tensor([6, 3]), batch_first=True)
padded, lengths = pad_packed_sequence(packed, batch_first=True)
sums = padded + torch.zeros(2, 6, 5)
whole, lengths = pad_packed_sequence(packed, batch_first=True, total_length=7)
whole_sums = whole + batch
samples = unpack_sequence(pack_sequence([torch.zeros(3, 5), torch.zeros(1, 5)]))
out, state = nn.GRU(5, 4, batch_first=True)(packed)
read, lengths = pad_packed_sequence(out, batch_first=True)
scores = nn.Linear(4, 2)(read)
sizes = batch * 2  # -> (2, 7, 5)
wrong = batch + torch.zeros(2, 6, 5)  # fails shape +
