import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def seed_worker(worker_id=0):
    torch.manual_seed(worker_id)


def start(module=None):
    if module is None:
        return
    module.requires_grad_(True)


def starter(std):
    def apply_to(module):
        module.requires_grad_(True)
        return None

    return apply_to


def walk(modules):
    yield from modules


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
        self.apply(self._init_weights())  # expect: callback-called "self._init_weights is called here and returns nothing, so None is handed over"
        self.apply(self._init_weights)

    def _init_weights(self, module=None):
        print(module)


data = TensorDataset(torch.randn(4, 2))
loader = DataLoader(data, num_workers=2, worker_init_fn=seed_worker())  # expect: callback-called
net = Net()
net.apply(start(net))  # expect: callback-called

# From here on everything is right.
loader = DataLoader(data, num_workers=2, worker_init_fn=seed_worker)
net.apply(start)
net.apply(starter(0.02))
net.apply(walk(net.modules()))
net.fc.register_forward_hook(lambda module, args, output: None)
