import torch
from torch import nn

model = nn.Linear(3, 1)


def count_first():
    parameters = list(model.parameters())
    count = sum(p.numel() for p in parameters)
    return count, torch.optim.SGD(parameters, lr=0.1)  # expect: parameters-generator-exhausted "parameters is used up by line 9, and here it is empty: make it a list"


def filtered(net):
    trainable = list(filter(lambda p: p.requires_grad, net.parameters()))
    for p in trainable:
        print(p.shape)
    for p in trainable:  # expect: parameters-generator-exhausted
        print(p.dtype)


def generated():
    weights = list((p for p in model.parameters() if p.ndim > 1))
    optimizer = torch.optim.SGD(weights, lr=0.1)
    nn.utils.clip_grad_norm_(weights, 1.0)  # expect: parameters-generator-exhausted
    return optimizer


# From here on everything is right.
def listed():
    parameters = list(model.parameters())
    count = sum(p.numel() for p in parameters)
    return count, torch.optim.SGD(parameters, lr=0.1)


def anew():
    count = sum(p.numel() for p in model.parameters())
    return count, torch.optim.SGD(model.parameters(), lr=0.1)


def either(adam):
    parameters = model.parameters()
    if adam:
        return torch.optim.Adam(parameters)
    return torch.optim.SGD(parameters, lr=0.1)


def chosen(adam):
    parameters = model.parameters()
    if adam:
        optimizer = torch.optim.Adam(parameters)
    else:
        optimizer = torch.optim.SGD(parameters, lr=0.1)
    return optimizer


def first():
    parameters = model.parameters()
    device = next(parameters).device
    return device, list(parameters)


def again():
    parameters = model.parameters()
    count = sum(p.numel() for p in parameters)
    parameters = model.parameters()
    return count, torch.optim.SGD(parameters, lr=0.1)


def inspected(signature):
    parameters = signature.parameters
    names = list(parameters)
    return names, list(parameters)


def gathered(first, second):
    params = list((p for p in list(first.parameters()) + list(second.parameters()) if p.requires_grad))
    print(sum(p.numel() for p in params))
    return torch.optim.SGD(params, lr=0.1)  # expect: parameters-generator-exhausted "params is used up by line"
