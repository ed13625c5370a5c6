"""A function with a derivative of your own, checked against differences.

stops: Clipped
"""

import torch


# snippet:
class Clipped(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(-1, 1)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * (x.abs() <= 1)


torch.autograd.gradcheck(Clipped.apply, torch.randn(4, dtype=torch.float64, requires_grad=True))
