import torch

w = torch.ones(2, requires_grad=True)
optimizer = torch.optim.LBFGS([w], lr=0.5)
w.pow(2).sum().backward()
optimizer.step()  # expect: lbfgs-without-closure "optimizer is an LBFGS, whose step computes the loss several times"


def run(opt):
    opt.step()  # expect: lbfgs-without-closure


run(optimizer)


# From here on everything is right.
def closure():
    optimizer.zero_grad()
    loss = w.pow(2).sum()
    loss.backward()
    return loss


optimizer.step(closure)
optimizer.step(closure=closure)
sgd = torch.optim.SGD([w], lr=0.1)
sgd.step()


def unknown(opt):
    opt.step()
