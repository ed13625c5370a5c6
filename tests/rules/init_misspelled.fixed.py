from torch import nn


class Single(nn.Module):
    def __init__(self):  # expect: init-misspelled "_init_ is never called, and Single has none of its layers: name it __init__"
        super().__init__()
        self.fc = nn.Linear(4, 2)


class Number(Single):
    def __init__(self):  # expect: init-misspelled
        super(Number, self).__init__()
        self.out = nn.Linear(4, 2)


# From here on everything is right.
class Right(nn.Module):
    def __init__(self):
        super().__init__()
        self._init_weights()

    def _init_weights(self):
        self.fc = nn.Linear(4, 2)

    def __int__(self):
        return 3


class Lazy(nn.Module):
    def init(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)


class Plain:
    def _init_(self):
        super().__init__()


Lazy().init()


class Nearly(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x):  # expect: forward-misspelled "Nearly has no forward, so calling it raises: name foward forward"
        return self.fc(x)


class Both(nn.Module):
    def forward(self, x):
        return self.forwards(x)

    def forwards(self, x):
        return x


class Base(nn.Module):
    def run(self, x):
        return self._forward(x)

    def _forward(self, x):
        return x
