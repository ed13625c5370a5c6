import torch
from torch import nn

model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
checkpoint = torch.load("weights.pt")

model = model.load_state_dict(checkpoint)  # expect: load-state-dict-reassigned "load_state_dict fills model and does not return it: model is no model after this"
optimizer = optimizer.load_state_dict(checkpoint)  # expect: load-state-dict-reassigned "optimizer is no optimizer after this"


class Trainer:
    def __init__(self):
        self.net = nn.Linear(4, 2)

    def restore(self):
        self.net = self.net.load_state_dict(checkpoint)  # expect: load-state-dict-reassigned


# From here on everything is right.
net = nn.Linear(4, 2)
net.load_state_dict(checkpoint)
result = net.load_state_dict(checkpoint, strict=False)
missing, unexpected = net.load_state_dict(checkpoint)


def restored(thing, state):
    thing = thing.load_state_dict(state)
    return thing


class Given:
    def __init__(self, model, vocabulary):
        self.model = model
        self.vocabulary = vocabulary

    def restore(self, state):
        self.model = self.model.load_state_dict(state)  # expect: load-state-dict-reassigned "self.model is no model after this"
        self.vocabulary = self.vocabulary.load_state_dict(state)


def handed(optimizer, state):
    optimizer = optimizer.load_state_dict(state)  # expect: load-state-dict-reassigned "optimizer is no optimizer after this"
    return optimizer
