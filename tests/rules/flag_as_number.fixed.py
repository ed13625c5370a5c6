from torch import nn

act = nn.LeakyReLU(inplace=True)  # expect: flag-as-number "True is taken for its slope below zero, as 1: write inplace=True"
soft = nn.ELU(inplace=True)  # expect: flag-as-number "its alpha"
drop = nn.Dropout(inplace=True)  # expect: flag-as-number "the probability to drop"
none = nn.Dropout2d(inplace=False)  # expect: flag-as-number "as 0: write inplace=False"

# From here on everything is right.
plain = nn.ReLU(True)
leaky = nn.LeakyReLU(0.2, True)
named = nn.LeakyReLU(inplace=True)
half = nn.Dropout(0.5, True)
certain = nn.Dropout(1)
