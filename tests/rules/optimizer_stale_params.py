import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.fc = nn.Linear(4, 10)


model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model.fc = nn.Linear(4, 2)  # expect: optimizer-stale-params "the optimizer (line 13) has the parameters that were in model.fc before"

deep = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
adam = torch.optim.Adam(deep.parameters())
deep[1] = nn.Linear(4, 2)  # expect: optimizer-stale-params


def right():
    net = Net()
    net.fc = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    return optimizer


def again():
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net.fc = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    return optimizer


def added():
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net.fc = nn.Linear(4, 2)
    optimizer.add_param_group({"params": net.fc.parameters()})
    return optimizer


def other():
    net, teacher = Net(), Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    teacher.fc = nn.Linear(4, 2)
    net.act = nn.ReLU()
    return optimizer


def part():
    net = Net()
    optimizer = torch.optim.SGD(net.body.parameters(), lr=0.1)
    net.fc = nn.Linear(4, 2)
    return optimizer
