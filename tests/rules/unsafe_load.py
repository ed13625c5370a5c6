import dill
import torch

flag = bool(input())

weights = torch.load("weights.pt", weights_only=False)  # expect: unsafe-load "runs whatever code the file holds"
weights = torch.load("weights.pt", "cpu", weights_only=False)  # expect: unsafe-load
options = {"weights_only": False}
weights = torch.load("weights.pt", **options)  # expect: unsafe-load

# From here on everything is right, on a torch that loads weights alone where nothing is said.
weights = torch.load("weights.pt")
weights = torch.load("weights.pt", weights_only=True)
weights = torch.load("weights.pt", weights_only=flag)
weights = torch.load("weights.pt", map_location="cpu")


def load(path, **more):
    return torch.load(path, **more)
