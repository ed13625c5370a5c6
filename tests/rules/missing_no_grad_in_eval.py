import torch
from torch import nn

model = nn.Linear(3, 1)
batches = torch.randn(5, 8, 3)


def predict(net, inputs):
    net.eval()
    outputs = []
    for x in inputs:
        outputs.append(net(x))  # expect: missing-no-grad-in-eval "outputs keeps the graph of every net(…)"
    return outputs


predict(model, batches)


# From here on everything is right.
@torch.no_grad()
def decorated(net, inputs):
    net.eval()
    outputs = []
    for x in inputs:
        outputs.append(net(x))
    return outputs


def under(net, inputs):
    net.eval()
    outputs = []
    with torch.inference_mode():
        for x in inputs:
            outputs.append(net(x))
    return outputs


def numbers(net, inputs):
    net.eval()
    outputs = []
    for x in inputs:
        outputs.append(net(x).mean().item())
    return outputs


def from_outside(net, inputs):
    net.eval()
    outputs = []
    for x in inputs:
        outputs.append(net(x))
    return outputs


with torch.no_grad():
    from_outside(model, batches)
decorated(model, batches)
under(model, batches)
numbers(model, batches)


def unknown(net, inputs):
    net.eval()
    outputs = []
    for x in inputs:
        outputs.append(net(x))
    return outputs
