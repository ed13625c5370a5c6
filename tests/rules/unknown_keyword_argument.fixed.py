import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import optim
from torch.optim.lr_scheduler import CosineAnnealingLR, StepLR
from torch.utils.data import DataLoader, TensorDataset

model = nn.Linear(4, 2)
a = optim.Adam(model.parameters(), lr=1e-3)  # expect: unknown-keyword-argument "unexpected keyword argument 'learning_rate': did you mean lr?"
b = optim.SGD(model.parameters(), lr=0.1, weight_decay=1e-4)  # expect: unknown-keyword-argument "did you mean weight_decay?"
c = optim.Adam(model.parameters(), lr=1e-3, momentum=0.9)  # expect: unknown-keyword-argument "Adam raises TypeError here: Adam.__init__() got an unexpected keyword argument 'momentum'"
optimizer = optim.SGD(model.parameters(), lr=0.1)
d = StepLR(optimizer, step_size=3, gamma=0.1)  # expect: unknown-keyword-argument "did you mean gamma?"
e = CosineAnnealingLR(optimizer, T_max=3)  # expect: unknown-keyword-argument "did you mean T_max?"
data = TensorDataset(torch.zeros(4, 4))
f = DataLoader(data, batch_size=4, shuffle=True)  # expect: unknown-keyword-argument "did you mean batch_size?"
g = DataLoader(
    data,
    batch_size=4,
    num_workers=2,  # expect: unknown-keyword-argument "did you mean num_workers?"
)
h = nn.Conv2d(3, 8, kernel_size=3)  # expect: unknown-keyword-argument "did you mean kernel_size?"
i = nn.BatchNorm2d(8, eps=1e-3)  # expect: unknown-keyword-argument "did you mean eps?"
j = nn.CrossEntropyLoss(weight=torch.ones(2))  # expect: unknown-keyword-argument "did you mean weight?"
k = nn.Dropout(rate=0.3)  # expect: unknown-keyword-argument "unexpected keyword argument 'rate'"
m = nn.utils.clip_grad_norm_(model.parameters(), max=1.0)  # expect: unknown-keyword-argument
n = F.cross_entropy(torch.zeros(2, 3), torch.zeros(2).long(), weight=None)  # expect: unknown-keyword-argument "did you mean weight?"
o = torch.zeros(3, dtypes=torch.float32)  # expect: unknown-keyword-argument
torch.save(model.state_dict(), "model.pt", pickle_protocol=4)  # expect: unknown-keyword-argument "did you mean pickle_protocol?"


def made(name, network, rate):
    """One of two optimizers: neither branch is known, and the mistake is there in its own."""
    if name == "adam":
        return optim.Adam(network.parameters(), lr=rate)  # expect: unknown-keyword-argument
    return optim.SGD(network.parameters(), lr=rate, momentum=0.9)


made("adam", model, 0.1)
made(name_of_other_file, model, 0.1)

# From here on everything is right.
a = optim.Adam(model.parameters(), lr=1e-3, betas=(0.9, 0.98), fused=None)
b = optim.SGD(params=model.parameters(), lr=0.1, momentum=0.9, nesterov=True)
c = optim.AdamW([{"params": model.parameters(), "lr": 1e-3}], lr=1e-2, amsgrad=True)
d = StepLR(optimizer, step_size=3, gamma=0.1, last_epoch=-1)
f = DataLoader(dataset=data, batch_size=4, shuffle=True, num_workers=0, pin_memory=False, persistent_workers=False)
h = nn.Conv2d(3, 8, kernel_size=3, padding="same", device="cpu", dtype=torch.float32)
rnn = nn.LSTM(3, 4, bidirectional=True, batch_first=True)
y = torch.cat([torch.zeros(2), torch.zeros(2)], axis=0)
z = torch.zeros(2, 3).sum(axis=1, keepdims=True)
weights = torch.load("model.pt", weights_only=True, encoding="utf-8")


def handed_on(**options):
    return optim.Adam(model.parameters(), **options)


handed_on(learning_rate=0.1)  # the call of torch does not write it


class Lamb(optim.Optimizer):
    """An optimizer of the file's own takes what it says."""

    def __init__(self, params, learning_rate=0.1, trust=1.0):
        super().__init__(params, {"lr": learning_rate})


lamb = Lamb(model.parameters(), learning_rate=0.1, trust=0.5)


class Warmup(StepLR):
    def __init__(self, optimizer, warm=10):
        super().__init__(optimizer, step_size=warm)


warmup = Warmup(optimizer, warm=5)


class Fast(nn.Conv2d):
    def __init__(self, *sizes, gain=1.0, **options):
        super().__init__(*sizes, **options)
        self.gain = gain


fast = Fast(3, 8, 3, gain=2.0)

try:
    fused = optim.Adam(model.parameters(), lr=0.1, fuse=True)
except TypeError:
    fused = optim.Adam(model.parameters(), lr=0.1)

if hasattr(optim.Adam, "capture"):
    captured = optim.Adam(model.parameters(), lr=0.1, captured=True)
