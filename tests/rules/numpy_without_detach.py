import numpy as np
import torch
from torch import nn

net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
grid = torch.linspace(-1, 1, 50).unsqueeze(1).expand(50, 2)
y = net(grid)
curve = y.numpy()  # expect: numpy-without-detach "y requires grad, so NumPy cannot read it: use y.detach().numpy()"
curve = y[:, 0].cpu().numpy()  # expect: numpy-without-detach "use y[:, 0].cpu().detach().numpy()"
curve = (y * 2).numpy()  # expect: numpy-without-detach "y * 2 requires grad, so NumPy cannot read it: use (y * 2).detach().numpy()"
curve = np.array(y)  # expect: numpy-without-detach "y requires grad, so NumPy cannot read it: use y.detach()"
losses = [net(grid).pow(2).mean() for _ in range(3)]
print(np.mean(losses))  # expect: numpy-without-detach "losses holds a tensor that requires grad, so NumPy cannot read it: append .detach() to each"
weights = net[0].weight.numpy()  # expect: numpy-without-detach "net[0].weight requires grad"
far = net[0].weight.detach().to("cuda")
array = far.numpy()  # expect: numpy-without-detach "far is on cuda, so NumPy cannot read it: use far.cpu().numpy()"
scores = nn.Linear(2, 3).to("cuda")(grid.to("cuda"))
array = scores.softmax(1).numpy()  # expect: numpy-without-detach "scores.softmax(1) is on cuda, so NumPy cannot read it: use scores.softmax(1).detach().cpu().numpy()"

# From here on everything is right.
curve = y.detach().numpy()
curve = y.numpy(force=True)
curve = np.array(y.detach())
hits = (y > 0).numpy()
best = y.argmax(0).numpy()
with torch.no_grad():
    curve = net(grid).numpy()
with torch.inference_mode():
    curve = np.array(net(grid))
print(np.mean([loss.item() for loss in losses]), np.shape(y))
array = far.cpu().numpy()
array = scores.detach().cpu().numpy()


@torch.no_grad()
def predict(model, x):
    return model(x).numpy()


def unseen(model, x):
    return model(x).numpy()


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 2)

    def act(self, state):
        return self.body(torch.as_tensor(state, dtype=torch.float32)).argmax(-1).numpy()

    def values(self, state):
        return self.body(torch.zeros(3, 4)).numpy()


predict(net, grid)
