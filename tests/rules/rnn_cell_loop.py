import torch
from torch import nn

cell = nn.GRUCell(3, 4)


def run(x, h):
    outputs = []
    for t in range(x.size(1)):
        h = cell(x[:, t], h)  # expect: rnn-cell-loop "nn.GRU takes the whole sequence"
        outputs.append(h)
    return torch.stack(outputs, dim=1)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.out = nn.LSTMCell(3, 4), nn.Linear(4, 3)
        self.second, self.attend = nn.RNNCell(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        h, c = torch.zeros(2, 4), torch.zeros(2, 4)
        for step in x.unbind(1):
            h, c = self.cell(step, (h, c))  # expect: rnn-cell-loop "nn.LSTM"
        return self.out(h)

    def timed(self, x, h):
        states = []
        for t, step in enumerate(x):
            h = self.second(step, h)  # expect: rnn-cell-loop
            states.append(self.out(h))
        return states


# Right: each step needs what the last one gave.
class Decoder(Encoder):
    def forward(self, x, h, c):
        outputs = []
        y = x
        for _ in range(10):
            h, c = self.cell(y, (h, c))
            y = self.out(h)
            outputs.append(y)
        return outputs

    def attended(self, x, h):
        for t in range(x.size(1)):
            h = self.second(x[:, t] + self.attend(h), h)
        return h

    def masked(self, x, h, mask):
        for t in range(x.size(1)):
            h = self.second(x[:, t], h)
            h = h * mask[:, t]
        return h

    def stacked(self, x, h, g):
        for t in range(x.size(1)):
            h = self.second(x[:, t], h)
            g = self.second(h, g)
        return g

    def filled(self, x, h):
        for t in range(x.size(1) - 1):
            h = self.second(x[:, t], h)
            x[:, t + 1] = self.out(h)
        return x

    def stopped(self, x, h):
        for t in range(x.size(1)):
            h = self.second(x[:, t], h)
            if h.norm() > 10:
                break
        return h

    def layers(self, x, h):
        for layer in self.children():
            x = layer(x)
        return x, h
