import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self, p=0.1):
        super().__init__()
        self.fc, self.p = nn.Linear(4, 4), p

    def hidden(self, x, rate=0.5):
        return F.dropout(x, rate)  # expect: functional-dropout-no-training-flag

    def forward(self, x):
        x = F.dropout(x)  # expect: functional-dropout-no-training-flag "F.dropout stays on in evaluation: add training=self.training"
        x = F.dropout(self.fc(x), p=0.5)  # expect: functional-dropout-no-training-flag
        x = F.dropout2d(  # expect: functional-dropout-no-training-flag
            x,
            self.p,
        )
        return F.scaled_dot_product_attention(x, x, x, dropout_p=self.p)  # expect: functional-dropout-no-training-flag "drops by self.p in evaluation too: use dropout_p=self.p if self.training else 0.0"


# From here on everything is right.
class Right(nn.Module):
    def __init__(self):
        super().__init__()
        self.p = 0.1

    def forward(self, x, training=False):
        x = F.dropout(x, 0.5, self.training)
        x = F.dropout(x, training=self.training)
        x = F.dropout(x, p=0.5, training=training)
        rate = self.p if self.training else 0.0
        return F.scaled_dot_product_attention(x, x, x, dropout_p=rate)


class MonteCarlo(nn.Module):
    def forward(self, x):
        return F.dropout(x, p=0.5, training=True) + F.scaled_dot_product_attention(x, x, x, dropout_p=0.0)


class Sampler(nn.Module):
    def step(self, x, noise, drop=0.0):
        if drop > 0:
            noise = F.dropout(noise, p=drop)
        return x + noise

    def forget(self, x, rate):
        return F.dropout(x, rate)


class Branch(nn.Module):
    def forward(self, x):
        if self.training:
            x = F.dropout(x, 0.5)
        return x


class Passed(nn.Module):
    def forward(self, x, options):
        return F.dropout(x, **options)


def augment(x):
    return F.dropout(x, 0.1)
