import torch
from torch.backends import cudnn


def seed(number):
    torch.manual_seed(number)
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = True  # expect: benchmark-with-deterministic "benchmark takes what is fastest in this run"


def repeat():
    cudnn.benchmark = True  # expect: benchmark-with-deterministic
    torch.use_deterministic_algorithms(True)


# From here on everything is right.
def same(number):
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = False
    torch.use_deterministic_algorithms(True)


def fast():
    cudnn.benchmark = True
    cudnn.deterministic = False


def either(number):
    if number is not None:
        cudnn.deterministic = True
        cudnn.benchmark = False
    else:
        cudnn.benchmark = True


def by_option(options):
    cudnn.deterministic = options.deterministic
    cudnn.benchmark = not options.deterministic


def later():
    cudnn.benchmark = True
    cudnn.deterministic = True
    cudnn.benchmark = False


def undone():
    cudnn.deterministic = True
    cudnn.deterministic = False
    cudnn.benchmark = True


class Settings:
    deterministic = True
    benchmark = True


torch.backends.cudnn.benchmark = True
