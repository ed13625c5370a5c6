import torch
from torch import nn


def keep(module, inputs, outputs):
    return None


model = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
handle = model.register_full_backward_hook(keep)  # expect: partial-backward-hook "sees the gradients of the last operation in forward"
model[0].register_full_backward_hook(hook=keep)  # expect: partial-backward-hook "use register_full_backward_hook"


class Watched(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
        self.register_full_backward_hook(keep)  # expect: partial-backward-hook
        inner.register_full_backward_hook(keep)  # expect: partial-backward-hook


# From here on everything is right.
class Bus:
    def register_backward_hook(self, hook):
        return hook


Bus().register_backward_hook(keep)
model.register_full_backward_hook(keep)
model.register_forward_hook(keep)
torch.ones(2, requires_grad=True).register_hook(print)


def hooked(module):
    if hasattr(module, "register_full_backward_hook"):
        return module.register_full_backward_hook(keep)
    else:
        return module.register_backward_hook(keep)
