import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)


model, net = nn.Linear(4, 2), Net()
torch.save(model.state_dict(), "model.pt")  # expect: pickled-model "model is pickled with the name of its class"
torch.save(net.fc.state_dict(), "part.pt")  # expect: pickled-model
torch.save(Net(), "net.pt")  # expect: pickled-model

# From here on everything is right.
torch.save(model.state_dict(), "model.pt")
torch.save({"model": net.state_dict()}, "net.pt")
torch.save(model.weight, "weight.pt")
torch.save([1, 2], "list.pt")


def save(model, path):
    torch.save(model, path)
