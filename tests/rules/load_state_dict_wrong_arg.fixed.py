import os
from pathlib import Path

import pytest
import torch
from torch import nn

model, name = nn.Linear(4, 2), "weights.pt"
FILE = os.path.join("checkpoints", name)

model.load_state_dict(torch.load("weights.pt"))  # expect: load-state-dict-wrong-arg "load_state_dict wants the dict that torch.load reads, but "
model.load_state_dict(torch.load(name), strict=False)  # expect: load-state-dict-wrong-arg "name is the name of a file"
model.load_state_dict(torch.load(f"checkpoints/{name}"))  # expect: load-state-dict-wrong-arg
model.load_state_dict(torch.load(Path("weights.pt")))  # expect: load-state-dict-wrong-arg


def restore(module, path):
    module.load_state_dict(torch.load(path))  # expect: load-state-dict-wrong-arg "path is the name of a file"
    return module


restore(nn.Linear(4, 2), FILE)

# From here on everything is right.
model.load_state_dict(torch.load(FILE))
state = torch.load(name)
model.load_state_dict(state)
model.load_state_dict(state["model"])
model.load_state_dict({key: value for key, value in state.items()})


def fill(module, weights):
    module.load_state_dict(weights)


fill(model, state)


def anyone(module, weights):
    module.load_state_dict(weights)


def test_refusal():
    with pytest.raises(TypeError):
        nn.Linear(3, 2).load_state_dict("no dict")
    nn.Linear(3, 2).load_state_dict(torch.load("no dict"))  # expect: load-state-dict-wrong-arg
