import torch
import torch.nn as nn

wave = torch.randn(1, 16000)
torch.lstsq(torch.randn(5, 1), torch.randn(5, 2))  # expect: removed-api
planes = 24 / 4
nn.Conv2d(3, planes, 1)  # expect: call-that-raises "Conv2d takes whole numbers, but gets a float: divide with //"
weight = torch.ones(3, requires_grad=True)
torch.autograd.grad(weight * 2, weight)  # expect: call-that-raises "weight * 2 is (3,), and grad starts from one number: take its sum() or mean(), or give grad_outputs=…"
(weight * 2).backward()  # expect: call-that-raises "weight * 2 is (3,), and backward starts from one number"
torch.autograd.backward([weight * 3])  # expect: call-that-raises "grad_tensors=…"

# From here on everything is right.
torch.autograd.grad((weight * 2).sum(), weight)
torch.autograd.grad(weight * 2, weight, torch.ones(3))
(weight * 2).backward(torch.ones(3))
weight[:1].backward()
chosen = weight[weight > 0]
chosen.backward()  # one value may be chosen
torch.stft(wave, 400, window=torch.hann_window(400), return_complex=True)
torch.linalg.lstsq(torch.randn(5, 2), torch.randn(5, 1))
nn.Linear(3, 4)(nn.ReLU()(torch.randn(2, 3)))
nn.Conv2d(3, 24 // 4, 1)

torch.nn.Parameter(unknown().type(torch.FloatTensor))  # a class of torch that is given to an unknown method is not what comes back

# What compares values, or takes apart what a function records, is not tried on tensors without data.
point = torch.randn(4, dtype=torch.float64, requires_grad=True)
torch.autograd.gradcheck(lambda v: v**2, point)
torch.autograd.gradgradcheck(lambda v: v**2, (point,))
out, pull = torch.func.vjp(lambda v: v**2, point)
pull(out)
torch.func.grad(lambda v: (v**2).sum())(point)
torch.func.jacrev(torch.func.jacfwd(lambda v: v**2))(point)
torch.autograd.functional.hessian(lambda v: (v**2).sum(), point)

class Base(nn.Module):
    """Has no parameters, and what derives from it has."""

    def flat(self):
        return nn.utils.parameters_to_vector(self.parameters())


class Net(Base):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)


named = nn.Linear(4, 2, activation="relu")  # expect: unknown-keyword-argument "Linear.__init__() got an unexpected keyword argument 'activation'"


def passed_on(**options):
    return nn.Linear(4, 2, **options)


handed = passed_on(activation="relu")


class Staged(nn.Module):
    """Its layers are not in sight."""

    def __init__(self, stages):
        super().__init__()
        for number, stage in enumerate(stages):
            setattr(self, "stage" + str(number), stage())


staged = Staged(made_elsewhere())
nn.utils.clip_grad_value_(staged.parameters(), clip_value=10.0)
nn.utils.clip_grad_norm_(staged.parameters(), 1.0)


class Bottleneck(nn.Module):
    def __init__(self, planes):
        super().__init__()
        middle = planes / 4
        self.first = nn.Conv2d(3, middle, 1)  # expect: call-that-raises "Conv2d takes whole numbers, but gets a float: divide with //"
        self.norm = nn.BatchNorm2d(middle)  # said once
        self.second = nn.Conv2d(middle, planes, 1)


bottleneck = Bottleneck(24)
