import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.pi, self.v = nn.Linear(4, 32), nn.Linear(32, 2), nn.Linear(32, 1)

    def forward(self, s):
        z = torch.tanh(self.body(s))
        return torch.distributions.Categorical(logits=self.pi(z)), self.v(z)


def policy_loss(net, states, actions, returns):
    dist, values = net(states)
    advantage = returns - values.detach().squeeze(1)  # expect: arithmetic-broadcast-mismatch "values.detach() is (20, 1) and returns (20,), which makes 20×20 pairs"
    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
    return -(dist.log_prob(actions) * advantage).mean()


policy_loss(ActorCritic(), torch.randn(20, 4), torch.randint(0, 2, (20,)), torch.randn(20))
head = nn.Linear(3, 1)
x, y = torch.randn(50, 3), torch.randn(50)
loss = ((head(x).squeeze(1) - y) ** 2).mean()  # expect: arithmetic-broadcast-mismatch "their mean is over all of them"
loss = torch.mean(torch.abs(y - head(x).squeeze(1)))  # expect: arithmetic-broadcast-mismatch
loss = torch.sub(head(x).squeeze(1), y).square().sum()  # expect: arithmetic-broadcast-mismatch
weights = torch.rand(50)
loss = (nn.functional.mse_loss(head(x), y[:, None], reduction="none").squeeze(1) * weights).mean()  # expect: arithmetic-broadcast-mismatch
for xs, ys in DataLoader(TensorDataset(x, y), batch_size=8):
    error = head(xs).squeeze(1) - ys  # expect: arithmetic-broadcast-mismatch "head(xs) is (batch, 1) and ys (batch,)"
    error.pow(2).mean().backward()
q, rewards = torch.randn(16, 4), torch.randn(16)
chosen = q.gather(1, torch.zeros(16, 1, dtype=torch.int64))
delta = (rewards - chosen.squeeze(1)).abs().mean()  # expect: arithmetic-broadcast-mismatch

# From here on everything is right.
loss = ((head(x).squeeze(1) - y) ** 2).mean()
loss = ((head(x) - y[:, None]) ** 2).mean()
loss = (head(x).flatten() - y).abs().mean()
spread = (y[:, None] - y).abs().mean()
kernel = torch.exp(-((y.unsqueeze(1) - y) ** 2)).mean()
distances = head(x) - y
nearest = distances.abs().min(dim=1).values
left, right = x.pow(2).sum(dim=1, keepdim=True), x.pow(2).sum(dim=1)
squared = left + right - 2 * x @ x.T
mean_distance = squared.mean()
scaled = (x / x.norm(dim=1, keepdim=True)).mean()
longer = (head(x) - torch.randn(7)).mean()
single = (head(x[:1]) - y[:1]).mean()
positions = torch.arange(50).unsqueeze(1)
angles = (positions * torch.arange(50)).float().mean()
masked = (head(x) + y).masked_fill(torch.eye(50, dtype=torch.bool), 0.0).mean()
