import copy

import torch
import torch.nn.functional as F
from torch import nn

net = nn.Linear(4, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
target_net = net  # expect: network-alias-not-copy "target_net is the same network as net"
for x in torch.randn(10, 8, 4):
    with torch.no_grad():
        wanted = target_net(x).max(1).values
    loss = F.mse_loss(net(x).max(1).values, wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if x.sum() > 0:
        target_net.load_state_dict(net.state_dict())


class Agent:
    def __init__(self):
        self.q_net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
        self.target_q = self.q_net  # expect: network-alias-not-copy
        self.optimizer = torch.optim.Adam(self.q_net.parameters())

    def update(self, x, tau=0.01):
        loss = self.q_net(x).pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        for slow, fast in zip(self.target_q.parameters(), self.q_net.parameters()):
            slow.data.mul_(1 - tau).add_(tau * fast.data)


class Distilled(nn.Module):
    def __init__(self, student: nn.Module):
        super().__init__()
        self.student, self.teacher = student, student  # expect: network-alias-not-copy

    def forward(self, x):
        with torch.no_grad():
            wanted = self.teacher(x)
        loss = F.mse_loss(self.student(x), wanted)
        loss.backward()
        return loss


def distill(model: nn.Module, batches):
    teacher = model  # expect: network-alias-not-copy
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in batches:
        loss = F.kl_div(F.log_softmax(model(x), -1), teacher(x).detach(), reduction="batchmean")
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def fit(model: nn.Module, batches, evaluate):
    best, best_model = 0.0, None
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(10):
        for x in batches:
            loss = model(x).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if evaluate(model) > best:
            best = evaluate(model)
            best_model = model  # expect: network-alias-not-copy
    return best_model


# Right: copies.
right_net = nn.Linear(4, 2)
right_target = copy.deepcopy(right_net)
right_target.load_state_dict(right_net.state_dict())


def keep(model: nn.Module, batches, evaluate):
    best, best_model = 0.0, copy.deepcopy(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(10):
        optimizer.step()
        if evaluate(model) > best:
            best_model = copy.deepcopy(model)
    return best_model


# Right: each fold trains a network of its own.
def folds(data, evaluate):
    best, best_model = 0.0, None
    for fold in data:
        model = nn.Linear(4, 2)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for x in fold:
            optimizer.zero_grad()
            model(x).mean().backward()
            optimizer.step()
        if evaluate(model) > best:
            best_model = model
    return best_model


# Right: the training ends there.
def until(model: nn.Module, evaluate):
    best_model = None
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(10):
        optimizer.step()
        if evaluate(model) > 0.9:
            best_model = model
            break
    return best_model


# Right: another name for what is to be exported, or for the unwrapped network.
def export(model: nn.Module):
    target_model = model
    raw_model = model
    target_model.eval()
    return target_model, raw_model


# Right: a name that also means a network of its own.
class Maybe:
    def __init__(self, net: nn.Module, use_target):
        self.net = net
        self.target = net
        if use_target:
            self.target = copy.deepcopy(net)

    def loss(self, x):
        with torch.no_grad():
            wanted = self.target(x)
        loss = F.mse_loss(self.net(x), wanted)
        loss.backward()


# Right: the teacher alone is used.
def pseudo(model: nn.Module, x):
    teacher = model
    with torch.no_grad():
        return teacher(x)


def shallow(batches):
    online = nn.Linear(3, 2)
    target = copy.copy(online)  # expect: network-alias-not-copy "copy.copy leaves target the weights of online itself: use copy.deepcopy(online)"
    optimizer = torch.optim.SGD(online.parameters(), lr=0.1)
    for x in batches:
        with torch.no_grad():
            goal = target(x)
        loss = (online(x) - goal).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
