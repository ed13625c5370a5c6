import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)

    def forward(self, x):
        return self.layer(x)


net = Net()
torch.jit.save(net, "net.pt")  # expect: jit-save-unscripted "net was not scripted, and jit.save raises: give it torch.jit.script(net)"; deprecated-torchscript
ready = Net().to("cpu").eval()
torch.jit.save(ready, "ready.pt")  # expect: jit-save-unscripted; deprecated-torchscript
torch.jit.save(nn.Linear(4, 2), "layer.pt")  # expect: jit-save-unscripted; deprecated-torchscript

# From here on everything is right.
torch.jit.save(torch.jit.script(net), "net.pt")  # expect: deprecated-torchscript; deprecated-torchscript
traced = torch.jit.trace(net.eval(), torch.ones(1, 4))  # expect: deprecated-torchscript
torch.jit.save(traced, "net.pt")  # expect: deprecated-torchscript
scripted = Net()
scripted = torch.jit.script(scripted)  # expect: deprecated-torchscript
torch.jit.save(scripted, "net.pt")  # expect: deprecated-torchscript
torch.jit.save(torch.jit.load("net.pt"), "copy.pt")  # expect: deprecated-torchscript; deprecated-torchscript
torch.save(net.state_dict(), "weights.pt")


def keep(model):
    torch.jit.save(model, "model.pt")  # expect: deprecated-torchscript


either = Net()
if torch.cuda.is_available():
    either = torch.jit.script(either)  # expect: deprecated-torchscript
torch.jit.save(either, "either.pt")  # expect: deprecated-torchscript
