import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class SeriesClassifier(nn.Module):
    def __init__(self, features, hidden, classes):
        super().__init__()
        self.rnn = nn.LSTM(features, hidden, num_layers=2, batch_first=True)  # expect: rnn-batch-first-mismatch "self.rnn reads (time, batch, features), but out[:, -1] takes axis 1 for the time"
        self.head = nn.Linear(hidden, classes)

    def forward(self, series):
        out, _ = self.rnn(series)
        return self.head(out[:, -1])


SeriesClassifier(5, 16, 3)(torch.randn(8, 12, 5))


class Uncalled(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(5, 16, batch_first=False)  # expect: rnn-batch-first-mismatch
        self.head = nn.Linear(16, 3)

    def forward(self, x):
        out, hidden = self.gru(x)
        return self.head(out[:, -1, :])


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(100, 8)
        self.rnn = nn.RNN(8, 16, batch_first=True)  # expect: rnn-batch-first-mismatch "the loader says that axis 0 is the batch"

    def forward(self, ids):
        out, hidden = self.rnn(self.embedding(ids))
        return hidden[-1]


model = Words()
for ids, labels in DataLoader(TensorDataset(torch.zeros(40, 7, dtype=torch.int64), torch.zeros(40)), batch_size=8):
    model(ids)


class Named(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(6, 6, batch_first=True)  # expect: rnn-batch-first-mismatch "batch_size says that axis 0 is the batch"

    def forward(self, x):
        batch_size, seq_len, _ = x.shape
        return self.lstm(x)[0]


class Reversed(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(6, 6, batch_first=True)

    def forward(self, x):
        out, _ = self.lstm(x)
        return out[-1]  # expect: rnn-batch-first-mismatch "is the last sample of"


class Pooled(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(6, 6, batch_first=True)  # expect: rnn-batch-first-mismatch

    def forward(self, x):
        return self.lstm(x)[0].mean(dim=1)


# From here on everything is right.
class Right(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.LSTM(6, 6, batch_first=True)
        self.second = nn.LSTM(6, 6)
        self.third = nn.GRU(6, 6, batch_first=True)

    def forward(self, x):
        batch, steps, _ = x.shape
        out, (hidden, _) = self.first(x)
        turned, _ = self.second(out.transpose(0, 1))
        permuted, _ = self.second(out.permute(1, 0, 2))
        last, _ = self.third(permuted.transpose(0, 1))
        return out[:, -1] + turned[-1] + hidden[-1] + last[:, -1] + turned.mean(0)


Right()(torch.randn(3, 5, 6))


class SequenceFirst(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.drop = nn.LSTM(6, 6), nn.Dropout(0.1)

    def forward(self, x, state=None):
        seq_len, batch, _ = x.shape
        out, state = self.rnn(self.drop(x), state)
        return out[-1], out.view(seq_len * batch, -1), state


SequenceFirst()(torch.randn(12, 3, 6))
unbatched, _ = nn.LSTM(6, 6)(torch.randn(12, 6))
last = unbatched[-1]
one, _ = nn.LSTM(6, 6, batch_first=True)(torch.randn(1, 12, 6))
steps = one[-1]
