import torch
from torch import nn

wrapped, model = nn.DataParallel(nn.Linear(3, 2)), nn.Linear(3, 2)
torch.save(wrapped.state_dict(), "wrapped.pt")
torch.save(wrapped.module.state_dict(), "plain.pt")

state = torch.load("wrapped.pt")
model.load_state_dict(state)  # expect: state-dict-wrapper-prefix "which model does not know"
model.load_state_dict(torch.load("wrapped.pt"), strict=False)  # expect: state-dict-wrapper-prefix "strict=False loads none of them"
model.load_state_dict({"module.weight": torch.ones(2, 3), "module.bias": torch.ones(2)})  # expect: state-dict-wrapper-prefix

# From here on everything is right.
model.load_state_dict(torch.load("plain.pt"))
wrapped.load_state_dict(torch.load("wrapped.pt"))
wrapped.load_state_dict({"module.weight": torch.ones(2, 3), "module.bias": torch.ones(2)})
model.load_state_dict({key.removeprefix("module."): value for key, value in torch.load("wrapped.pt").items()})
model.load_state_dict({"weight": torch.ones(2, 3), "bias": torch.ones(2)})
model.load_state_dict(torch.load("other.pt"), strict=False)


def load(net, path):
    net.load_state_dict(torch.load(path), strict=False)


# A file that is written twice holds what was written last.
torch.save(wrapped.state_dict(), "both.pt")
torch.save(wrapped.module.state_dict(), "both.pt")
model.load_state_dict(torch.load("both.pt"))
