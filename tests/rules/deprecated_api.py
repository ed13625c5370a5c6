import torch
import torch.nn.functional as F
from torch import nn
from torch.cuda.amp import GradScaler, autocast

x, y = torch.ones(2, 3), torch.ones(2, 3)
enabled = torch.cuda.is_available()

with torch.cuda.amp.autocast():  # expect: deprecated-api "torch.cuda.amp.autocast is deprecated: use torch.amp.autocast("
    pass
with torch.cuda.amp.autocast(enabled=enabled):  # expect: deprecated-api
    pass
with autocast(enabled):  # expect: deprecated-api
    pass
scaler = GradScaler(init_scale=2.0)  # expect: deprecated-api
scaler = torch.cuda.amp.GradScaler(2.0)  # expect: deprecated-api
q, r = torch.qr(x)  # expect: deprecated-api "use torch.linalg.qr, with mode in the place of some"
lower = torch.cholesky(x.T @ x)  # expect: deprecated-api
upper = torch.cholesky(x.T @ x, upper=True)  # expect: deprecated-api
steps = torch.range(0, 10)  # expect: deprecated-api "torch.arange, with the end left out"
nn.init.xavier_uniform(nn.Linear(2, 2).weight)  # expect: deprecated-api "nn.init.xavier_uniform is deprecated"
nn.utils.clip_grad_norm(nn.Linear(2, 2).parameters(), 1.0)  # expect: deprecated-api
loss = nn.MSELoss(size_average=False)  # expect: deprecated-api "size_average is deprecated: use reduction="
loss = F.mse_loss(x, y, reduce=False)  # expect: deprecated-api
loss = F.mse_loss(x, y, size_average=enabled)  # expect: deprecated-api "size_average is deprecated: use reduction"
layer = nn.utils.weight_norm(nn.Linear(2, 2))  # expect: deprecated-api "with other names in state_dict"

# From here on everything is right.
with torch.amp.autocast("cuda"), torch.autocast("cuda", enabled=enabled):
    pass
scaler = torch.amp.GradScaler("cuda")
q, r = torch.linalg.qr(x)
steps = torch.arange(0, 10)
nn.init.xavier_uniform_(nn.Linear(2, 2).weight)
loss = nn.MSELoss(reduction="sum")
loss = F.mse_loss(x, y, size_average=None)
layer = nn.utils.parametrizations.weight_norm(nn.Linear(2, 2))
if hasattr(torch.amp, "autocast"):
    with torch.amp.autocast("cuda"):
        pass
else:
    with torch.cuda.amp.autocast():
        pass
try:
    scaler = torch.amp.GradScaler("cuda")
except AttributeError:
    scaler = torch.cuda.amp.GradScaler()


class Loss:
    def __init__(self, size_average=True):
        self.size_average = size_average


loss = Loss(size_average=True)
