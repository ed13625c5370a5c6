import dill
import torch

flag = bool(input())

weights = torch.load("weights.pt", weights_only=False)  # expect: unsafe-load "runs whatever code the file holds"
weights = torch.load("weights.pt", "cpu", weights_only=False)  # expect: unsafe-load
options = {"weights_only": False}
weights = torch.load("weights.pt", **options)  # expect: unsafe-load

url = "https://example.org/model.pt"
weights = torch.hub.load_state_dict_from_url(url, weights_only=True)  # expect: download-without-weights-only "runs whatever code the download holds, as its weights_only is False by default: give"
weights = torch.hub.load_state_dict_from_url(url, map_location="cpu", weights_only=True)  # expect: unsafe-load
weights = torch.utils.model_zoo.load_url(url, weights_only=False)  # expect: unsafe-load "weights_only=False runs whatever code the download holds"

# From here on everything is right, on a torch that loads weights alone where nothing is said.
weights = torch.load("weights.pt")
weights = torch.load("weights.pt", weights_only=True)
weights = torch.load("weights.pt", weights_only=flag)
weights = torch.load("weights.pt", map_location="cpu")
weights = torch.hub.load_state_dict_from_url(url, weights_only=True)
weights = torch.hub.load_state_dict_from_url(url, weights_only=flag)
weights = torch.hub.load_state_dict_from_url(url, check_hash=True)


def fetch(url, **more):
    return torch.hub.load_state_dict_from_url(url, **more)


def load(path, **more):
    return torch.load(path, **more)
