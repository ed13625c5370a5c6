import torch
from torch import nn

model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
loss = model(torch.randn(8, 3)).mean()

optimizer.zero_grad()  # expect: method-not-called "optimizer.zero_grad is named here and not called, so nothing happens: add brackets"
loss.backward()  # expect: method-not-called
optimizer.step()  # expect: method-not-called
scheduler.step()  # expect: method-not-called
model.eval()  # expect: method-not-called


def train(net, opt):
    opt.zero_grad()  # expect: method-not-called
    net.train()


torch.save(model.state_dict(), "model.pt")  # expect: method-not-called "model.state_dict is named here and not called, so the method is pickled"
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, "all.pt")  # expect: method-not-called "optimizer.state_dict"
state = {"model": model.state_dict()}  # expect: method-not-called
torch.save(state, "all.pt")

# From here on everything is right.
torch.save({"model": model.state_dict()}, "all.pt")
torch.save(model.state_dict(), "model.pt")
clear = optimizer.zero_grad
clear()
optimizer.zero_grad()
loss.backward()
model.weight
loss.grad


def look(thing):
    thing.step
    thing.eval
    try:
        thing.zero_grad
    except AttributeError:
        return False
    return thing.backward


network = nn.Linear(2, 2)
made = torch.optim.SGD(network.parameters(), lr=0.1)  # expect: method-not-called "network.parameters is named here and not called, and a method cannot be iterated over"
torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)  # expect: method-not-called
made = torch.optim.SGD(network.parameters(), lr=0.1)
