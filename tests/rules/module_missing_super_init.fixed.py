import torch
from torch import nn


class Forgotten(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width
        self.fc = nn.Linear(width, 2)  # expect: module-missing-super-init "nn.Module.__init__ has not run yet, so this raises"


class Late(nn.Module):
    def __init__(self):
        """Too late."""
        self.gain = nn.Parameter(torch.ones(3))  # expect: module-missing-super-init
        super().__init__()


# From here on everything is right.
class Right(nn.Module):
    def __init__(self, width):
        self.width = width
        super().__init__()
        self.fc = nn.Linear(width, 2)


class Old(nn.Module):
    def __init__(self):
        nn.Module.__init__(self)
        self.fc = nn.Linear(2, 2)


class Through(Right):
    def __init__(self):
        super(Through, self).__init__(3)
        self.out = nn.Linear(2, 2)


class Indirect(nn.Module):
    def __init__(self):
        self.begin()
        self.out = nn.Linear(2, 2)

    def begin(self):
        super().__init__()


class Plain:
    def __init__(self):
        self.fc = nn.Linear(2, 2)


class WithoutBrackets(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)  # expect: module-missing-super-init
