import itertools

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn

x, y = torch.randn(8, 6), torch.randn(8, 2)
net, features = nn.Linear(6, 2), nn.Linear(2, 4)

image = net(x)
with torch.no_grad():
    perceptual = features(image).mean()
loss = image.mean() + perceptual  # expect: no-grad-over-trained-params "perceptual was computed under torch.no_grad(): in this loss it is a constant"
loss.backward()


class TwoTower(nn.Module):
    def __init__(self):
        super().__init__()
        self.text_backbone = nn.Linear(12, 16).requires_grad_(False)
        self.text_projection = nn.Linear(16, 8)
        self.image_projection = nn.Linear(20, 8)

    def encode_text(self, t):
        with torch.no_grad():
            h = torch.tanh(self.text_backbone(t))
            return F.normalize(self.text_projection(h), dim=-1)  # expect: no-grad-over-trained-params "torch.optim.Adam has the weights of self.text_projection"

    def forward(self, image, text):
        return self.image_projection(image) @ self.encode_text(text).T


towers = TwoTower()
optimizer = torch.optim.Adam((p for p in towers.parameters() if p.requires_grad), lr=1e-2)


class Decorated(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.head = nn.Linear(6, 4), nn.Linear(4, 2)
        self.norm = nn.Sequential(nn.Linear(6, 6), nn.ReLU())

    @torch.no_grad()
    def encode(self, x):
        return self.encoder(x)  # expect: no-grad-over-trained-params

    def forward(self, x):
        with torch.inference_mode():
            x = self.norm(x)  # expect: no-grad-over-trained-params
        return self.head(self.encode(x))


decorated = Decorated()
params = list(decorated.parameters())
torch.optim.SGD(params, lr=0.1)


class Lit(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(6, 4), nn.ReLU())
        self.head = nn.Linear(4, 2)

    def training_step(self, batch, batch_idx):
        x, y = batch
        with torch.no_grad():
            z = self.encoder(x)  # expect: no-grad-over-trained-params
        return F.mse_loss(self.head(z), y)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3)


def train(loader):
    backbone, head = nn.Linear(6, 4), nn.Linear(4, 2)
    optimizer = torch.optim.Adam(itertools.chain(backbone.parameters(), head.parameters()))
    for x, y in loader:
        with torch.no_grad():
            z = backbone(x)  # expect: no-grad-over-trained-params
        loss = F.mse_loss(head(z), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


# Right: the optimizer has the head alone.
def probe(loader):
    frozen_backbone, backbone, head = nn.Linear(6, 4), nn.Linear(6, 4), nn.Linear(4, 2)
    optimizer = torch.optim.Adam(head.parameters())
    for x, y in loader:
        with torch.no_grad():
            z = backbone(x) + frozen_backbone(x)
        loss = F.mse_loss(head(z), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


# Right: frozen, in all ways.
class Probe(nn.Module):
    def __init__(self, given):
        super().__init__()
        self.first = nn.Linear(6, 6).requires_grad_(False)
        self.second = nn.Linear(6, 6)
        self.third = nn.Linear(6, 6)
        self.given = given
        self.head = nn.Linear(6, 2)
        for p in self.second.parameters():
            p.requires_grad = False
        self.third.weight.requires_grad = False

    def forward(self, x):
        with torch.no_grad():
            z = self.third(self.second(self.first(self.given(x))))
        return self.head(z)


probe_model = Probe(nn.Linear(6, 6))
torch.optim.SGD(probe_model.parameters(), lr=0.1)


# Right: a target network that follows another one.
class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.online, self.target_net, self.follower = nn.Linear(6, 2), nn.Linear(6, 2), nn.Linear(6, 2)
        self.follower.load_state_dict(self.online.state_dict())

    def forward(self, x):
        with torch.no_grad():
            wanted = self.target_net(x) + self.follower(x)
        return F.mse_loss(self.online(x), wanted)


critic = Critic()
torch.optim.SGD(critic.parameters(), lr=0.1)


# Right: it is trained elsewhere, and evaluated under no_grad.
class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.actor, self.head, self.value = nn.Linear(6, 4), nn.Linear(4, 2), nn.Linear(6, 1)

    def act(self, x):
        with torch.no_grad():
            return self.actor(x)

    def forward(self, x):
        return self.head(self.actor(x))

    @torch.no_grad()
    def estimate(self, x):
        return self.value(x)


agent = Agent()
torch.optim.SGD(agent.parameters(), lr=0.1)


def fit(loader):
    model = nn.Linear(6, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        with torch.no_grad():
            print(F.mse_loss(model(x), y))
        loss = F.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        print(model(x))


def evaluate(loader):
    model = nn.Linear(6, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train_elsewhere(optimizer, loader)
    with torch.no_grad():
        return [model(x) for x in loader]


# Right: a target computed without gradients, and a weight.
with torch.no_grad():
    target = features(y)
loss = F.mse_loss(features(net(x)), target)
loss.backward()
with torch.no_grad():
    weight = 1 / (1 + features(y).mean())
loss = F.mse_loss(net(x), y) * weight
loss.backward()
