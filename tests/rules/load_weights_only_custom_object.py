import argparse

import torch
from torch import nn

args, model = argparse.Namespace(lr=0.1), nn.Linear(2, 2)
torch.save({"args": args, "model": model.state_dict()}, "run.pt")
torch.save(model, "model.pt")  # expect: pickled-model
torch.save({"args": vars(args), "model": model.state_dict()}, "good.pt")


def save(path, net, options):
    torch.save({"model": net.state_dict(), "args": options}, path)


def resume(path):
    return torch.load(path, map_location="cpu")  # expect: load-weights-only-custom-object "holds an argparse.Namespace"


run = torch.load("run.pt")  # expect: load-weights-only-custom-object "which holds an argparse.Namespace: save vars() of it"
net = torch.load("model.pt")  # expect: load-weights-only-custom-object "which holds a whole model: save its state_dict()"
save("last.pt", model, args)

# From here on everything is right.
good = torch.load("good.pt")
old = torch.load("run.pt", weights_only=False)  # expect: unsafe-load
other = torch.load("other.pt")
if torch.__version__ < "2.6":
    net = torch.load("model.pt")


def read(file, **options):
    return torch.load("run.pt", **options)


class Kept:
    def write(self, whole, place):
        if whole:
            torch.save(nn.Linear(2, 2), place)  # expect: pickled-model
        else:
            torch.save(nn.Linear(2, 2).state_dict(), place)

    def read(self, place):
        return torch.load(place)
