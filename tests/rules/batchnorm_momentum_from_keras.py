from torch import nn

first = nn.BatchNorm2d(8, momentum=0.99)  # expect: batchnorm-momentum-from-keras "momentum=0.99 takes 99% of the running statistics from the last batch"
second = nn.BatchNorm1d(8, 1e-3, 0.9)  # expect: batchnorm-momentum-from-keras "torch's counterpart of Keras' 0.9 is 0.1"

# From here on everything is right.
third = nn.BatchNorm2d(8, momentum=0.01)
fourth = nn.BatchNorm2d(8, momentum=None)
last_only = nn.BatchNorm2d(8, momentum=1.0)
fifth = nn.BatchNorm2d(8, momentum=1 - 0.99)


def layer(momentum):
    return nn.BatchNorm2d(8, momentum=momentum)
