import copy

import torch
from torch import nn

model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

before = list(model.parameters())  # expect: parameter-snapshot-alias "before holds the parameters themselves"
w0 = model.weight  # expect: parameter-snapshot-alias
old_weight = model.weight.data  # expect: parameter-snapshot-alias
old_bias = model.bias.detach()  # expect: parameter-snapshot-alias
model(torch.ones(1, 2)).sum().backward()
optimizer.step()
print(all(torch.equal(old, new) for old, new in zip(before, model.parameters())))
print((w0 == model.weight).all(), (old_weight - model.weight).abs().max())
assert not torch.allclose(old_bias, model.bias)


class Test:
    def __init__(self):
        self.net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
        self.optimizer = torch.optim.Adam(self.net.parameters())

    def test_learns(self, x):
        initial = {name: p for name, p in self.net.named_parameters()}  # expect: parameter-snapshot-alias
        params_before = [p.data for p in self.net.parameters()]  # expect: parameter-snapshot-alias
        self.optimizer.zero_grad()
        self.net(x).sum().backward()
        self.optimizer.step()
        for name, p in self.net.named_parameters():
            assert not torch.equal(p, initial[name])
        for old, new in zip(params_before, self.net.parameters()):
            assert (old != new).any()


# Right: cloned, copied, or only counted and not compared.
def right(net: nn.Module, x):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    before = [p.detach().clone() for p in net.parameters()]
    initial = {name: p.clone() for name, p in net.named_parameters()}
    saved = copy.deepcopy(list(net.parameters()))
    old_params = list(net.parameters())
    norms_before = [p.norm().item() for p in net.parameters()]
    net(x).sum().backward()
    optimizer.step()
    print(all(torch.equal(old, new) for old, new in zip(before, net.parameters())))
    print(initial, saved, len(old_params), [p.norm().item() for p in net.parameters()] == norms_before)


def no_step(net: nn.Module):
    before = list(net.parameters())
    after = list(copy.deepcopy(net).parameters())
    return all(torch.equal(old, new) for old, new in zip(before, after))
