import torch
from torch import nn, no_grad

model, x = nn.Linear(4, 2), torch.randn(3, 4)

torch.no_grad()  # expect: no-grad-not-entered "this does nothing: write `with torch.no_grad(…):` around what it is meant for"
model(x)
no_grad  # expect: no-grad-not-entered
torch.inference_mode()  # expect: no-grad-not-entered
torch.autocast("cpu")  # expect: no-grad-not-entered

# From here on everything is right.
with torch.no_grad():
    model(x)
torch.set_grad_enabled(False)
torch.set_grad_enabled(True)
context = torch.no_grad()


@torch.no_grad()
def evaluate():
    return model(x)


@torch.inference_mode
def predict():
    with torch.autocast("cpu"), no_grad():
        return model(x)
