import copy

import torch
from torch import nn


class Stopper:
    def __call__(self, model):
        self.state = model.state_dict().copy()  # expect: state-dict-alias "and copy() only references to them"


def train(model, optimizer, steps):
    best_state, init_weights = None, None
    for _ in range(steps):
        best_state = model.state_dict()  # expect: state-dict-alias "state_dict() gives the living tensors, which training goes on changing: use copy.deepcopy"
        optimizer.step()
    initial = model.state_dict().copy()  # expect: state-dict-alias
    optimizer.step()
    model.load_state_dict(initial)
    model.load_state_dict(best_state)


# From here on everything is right.
def right(model, optimizer, steps, path):
    for _ in range(steps):
        best_state = copy.deepcopy(model.state_dict())
        kept = {name: value.clone() for name, value in model.state_dict().items()}
        optimizer.step()
    optimizer.step()
    best_weights = model.state_dict()
    model.load_state_dict(best_weights)
    state = model.state_dict().copy()
    state.pop("bias")
    torch.save(state, path)
    model.load_state_dict(best_state)
    return kept


def saved(model, optimizer, path):
    for _ in range(3):
        best_state = model.state_dict()
        torch.save(best_state, path)
        optimizer.step()
    return nn.Linear(2, 2)


class Best:
    def __init__(self):
        self.best_state = None
        self.best_weights = None
        self.best_written = None
        self.best_copy = None
        self.latest = None

    def keep(self, model):
        self.best_state = model.state_dict()  # expect: state-dict-alias "state_dict() gives the living tensors, which training goes on changing"
        self.best_weights = {name: value for name, value in model.state_dict().items()}  # expect: state-dict-alias "a new dict only references to them"
        self.best_copy = {name: value.cpu().clone() for name, value in model.state_dict().items()}
        self.best_written = model.state_dict()
        self.latest = model.state_dict()

    def restore(self, model, path):
        model.load_state_dict(self.best_state)
        model.load_state_dict(self.best_weights)
        model.load_state_dict(self.best_copy)
        model.load_state_dict(self.latest)
        torch.save(self.best_written, path)


def listed(model, optimizer):
    best_state = dict(model.state_dict())  # expect: state-dict-alias "a new dict only references to them"
    optimizer.step()
    model.load_state_dict(best_state)


def filed(model, optimizer):
    best = {"loss": 1.0, "weights": None, "copy": None}
    snapshots, copies = [], []
    for _ in range(3):
        optimizer.step()
        best["weights"] = model.state_dict()  # expect: state-dict-alias "state_dict() gives the living tensors"
        best["copy"] = copy.deepcopy(model.state_dict())
        snapshots.append(model.state_dict())  # expect: state-dict-alias "each of these state dicts holds the same living tensors"
        copies.append(copy.deepcopy(model.state_dict()))
    model.load_state_dict(best["weights"])
    return snapshots, copies


def each_its_own(makers, optimizer):
    states = []
    for make in makers:
        net = make()
        optimizer.step()
        states.append(net.state_dict())
    return states
