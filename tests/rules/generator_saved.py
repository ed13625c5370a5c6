import pickle

import torch
from torch import nn

model = nn.Linear(4, 2)
torch.save(model.parameters(), "weights.pt")  # expect: generator-saved "model.parameters() is a generator, which cannot be saved: save model.state_dict()"
torch.save({"weights": model.parameters(), "epoch": 3}, "all.pt")  # expect: generator-saved
torch.save(model.named_parameters(), "weights.pt")  # expect: generator-saved
weights = model.parameters()
torch.save(weights, "weights.pt")  # expect: generator-saved
torch.save((p.data for p in model.parameters()), "weights.pt")  # expect: generator-saved "put it into square brackets"
with open("weights.pickle", "wb") as file:
    pickle.dump(model.buffers(), file)  # expect: generator-saved

# From here on everything is right.
torch.save(model.state_dict(), "weights.pt")
torch.save(list(model.parameters()), "weights.pt")
torch.save(dict(model.named_parameters()), "weights.pt")
torch.save([p.data for p in model.parameters()], "weights.pt")
torch.save({"weights": [*model.parameters()]}, "all.pt")


weights = list(model.parameters())
torch.save(weights, "weights.pt")


class Curve:
    def parameters(self):
        return [1.0, 2.0]


class Fixed(nn.Module):
    def parameters(self, recurse=True):
        return [nn.Parameter(torch.ones(1))]


torch.save(Curve().parameters(), "curve.pt")
torch.save(Fixed().parameters(), "fixed.pt")


def keep(network, path):
    torch.save(network.parameters(), path)
