import torch
from torch import nn

wrapped, model = nn.DataParallel(nn.Linear(3, 2)), nn.Linear(3, 2)
torch.save(wrapped.state_dict(), "wrapped.pt")
torch.save(wrapped.module.state_dict(), "plain.pt")

state = torch.load("wrapped.pt")
model.load_state_dict(state)  # expect: state-dict-wrapper-prefix "which model does not know"
model.load_state_dict(torch.load("wrapped.pt"), strict=False)  # expect: state-dict-wrapper-prefix "strict=False loads none of them"
model.load_state_dict({"module.weight": torch.ones(2, 3), "module.bias": torch.ones(2)})  # expect: state-dict-wrapper-prefix

compiled, other = torch.compile(nn.Linear(3, 2)), nn.Linear(3, 2)
torch.save(compiled.state_dict(), "compiled.pt")
other.load_state_dict(torch.load("compiled.pt"))  # expect: state-dict-wrapper-prefix "begin with "
other.load_state_dict(compiled.state_dict())  # expect: state-dict-wrapper-prefix
other.load_state_dict(wrapped.state_dict())  # expect: state-dict-wrapper-prefix
torch.save({"model": compiled.state_dict(), "epoch": 3}, "checkpoint.pt")
checkpoint = torch.load("checkpoint.pt")
other.load_state_dict(checkpoint["model"])  # expect: state-dict-wrapper-prefix "save the model that was compiled"
states = {"model": wrapped.state_dict(), "plain": wrapped.module.state_dict()}
torch.save(states, "states.pt")
other.load_state_dict(torch.load("states.pt")["model"])  # expect: state-dict-wrapper-prefix

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


compiled.load_state_dict(torch.load("compiled.pt"))
again = torch.compile(nn.Linear(3, 2))
again.load_state_dict(checkpoint["model"])
other.load_state_dict(torch.load("states.pt")["plain"])
other.load_state_dict(compiled._orig_mod.state_dict())
bare = nn.Linear(3, 2)
fast = torch.compile(bare)
torch.save(bare.state_dict(), "bare.pt")
other.load_state_dict(torch.load("bare.pt"))
other.load_state_dict(wrapped.module.state_dict())
wrapped.load_state_dict(wrapped.state_dict())
either = torch.compile(nn.Linear(3, 2))
torch.save(either.state_dict(), "either.pt")
torch.save(other.state_dict(), "either.pt")
other.load_state_dict(torch.load("either.pt"))
later = nn.Linear(3, 2)
later = torch.compile(later)
later.load_state_dict(compiled.state_dict())
state = compiled.state_dict(prefix="")
