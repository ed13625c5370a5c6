import torch
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

layer, x = nn.Linear(4, 4), torch.randn(2, 4)
hidden = checkpoint(layer, x)  # expect: checkpoint-use-reentrant "checkpoint warns without use_reentrant"
hidden = torch.utils.checkpoint.checkpoint(layer, x, preserve_rng_state=False)  # expect: checkpoint-use-reentrant
hidden = checkpoint_sequential(nn.Sequential(layer, layer), 2, x)  # expect: checkpoint-use-reentrant

# From here on everything is right.
options = {"use_reentrant": False}
hidden = checkpoint(layer, x, use_reentrant=False)
hidden = checkpoint(layer, x, use_reentrant=True)
hidden = checkpoint(layer, x, **options)


class Store:
    def checkpoint(self, model, x):
        return model(x)


hidden = Store().checkpoint(layer, x)
