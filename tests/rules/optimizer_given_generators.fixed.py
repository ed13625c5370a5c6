import torch
from torch import nn, optim

body, head = nn.Linear(4, 4), nn.Linear(4, 2)
a = optim.Adam([*body.parameters(), *head.parameters()])  # expect: optimizer-given-generators "this is a list of generators"
both = [*body.parameters(), *head.parameters()]  # expect: optimizer-given-generators
b = optim.SGD(params=both, lr=0.1)
c = optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)  # expect: optimizer-given-generators "generators cannot be added"
body.parameters().requires_grad = False  # expect: optimizer-given-generators "is a generator and has no requires_grad"
loaded = network_of_other_file()
loaded.parameters().requires_grad = False  # expect: optimizer-given-generators


# From here on everything is right.
class Curve:
    def parameters(self):
        return [torch.ones(1, requires_grad=True)]


class Bare(nn.Module):
    def parameters(self, recurse=True):
        return [torch.ones(1, requires_grad=True)]


one, two, bare = Curve(), Curve(), Bare()
d = optim.Adam([*body.parameters(), *head.parameters()])
e = optim.Adam(list(body.parameters()) + list(head.parameters()))
f = optim.Adam([{"params": body.parameters()}, {"params": head.parameters(), "lr": 1e-2}])
g = optim.Adam(one.parameters() + two.parameters())
h = optim.Adam(bare.parameters() + bare.parameters())
i = optim.Adam([p for net in (body, head) for p in net.parameters()])
for p in body.parameters():
    p.requires_grad = False
rows = [body.parameters(), head.parameters()]
for row in rows:
    print(len(list(row)))


def made(first, second):
    return optim.SGD(first.parameters() + second.parameters(), lr=0.1)
