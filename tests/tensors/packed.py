"""Packed sequences: how long they are is data, so no length of what is unpacked is a failure; the batch and the features are known."""

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

# All steps lie behind each other; the state has the batch, whatever the layer's order of the axes.
steps = packed.data  # -> (total, 5)
one = pack_sequence([torch.zeros(3, 5), torch.zeros(1, 5)])
one_steps = one.data  # -> (total3, 5)
both = nn.LSTM(5, 4, 2, bidirectional=True)
out, (hidden, cell) = both(packed)
last = hidden * 1  # -> (4, 2, 4)
read, lengths = pad_packed_sequence(out)
first = read * 1  # -> (T, 2, 8)
read, lengths = pad_packed_sequence(out, batch_first=True)
turned = read * 1  # -> (2, T, 8)
read, lengths = pad_packed_sequence(out, batch_first=True, total_length=7)
full = read * 1  # -> (2, 7, 8)
many = lengths * 1  # -> (2)
both_states = nn.Linear(8, 3)(torch.cat([hidden[-2], hidden[-1]], 1))  # -> (2, 3)
one_state = nn.Linear(4, 3)(torch.cat([hidden[-2], hidden[-1]], 1))  # fails shape torch.nn.Linear
same_time = read.sum(1) + pad_packed_sequence(out)[0].sum(0)  # -> (2, 8)
other, _ = pad_packed_sequence(pack_padded_sequence(batch, torch.tensor([6, 3]), batch_first=True), batch_first=True)
unlike_time = other + pad_packed_sequence(packed, batch_first=True)[0]
state = (torch.zeros(4, 2, 4), torch.zeros(4, 2, 4))
fed = both(packed, state)[1][0]  # -> (4, 2, 4)
fed_other = both(packed, (torch.zeros(2, 2, 4), torch.zeros(2, 2, 4)))  # fails shape torch.nn.LSTM
narrow = nn.GRU(6, 4)(packed)  # fails shape torch.nn.GRU


class Reader(nn.Module):
    def __init__(self, vocab, dim=16):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.gru = nn.GRU(dim, 32, batch_first=True)
        self.out = nn.Linear(32, 2)

    def forward(self, ids, lengths):
        packed = pack_padded_sequence(self.embed(ids), lengths, batch_first=True, enforce_sorted=False)
        out, hidden = self.gru(packed)
        seq, n = pad_packed_sequence(out, batch_first=True)
        last = seq[torch.arange(len(n)), n - 1]  # -> (4, 32)
        return self.out(hidden.squeeze(0) + last)  # -> (4, 2)


reader = Reader(100)
reader(torch.randint(0, 100, (4, 9)), input()).sum().backward()
grown = reader.embed.weight.grad  # -> (100, 16)
