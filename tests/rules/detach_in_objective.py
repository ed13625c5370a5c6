import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

model = nn.Sequential(nn.Linear(6, 4), nn.ReLU(), nn.Linear(4, 2))
features, head, teacher = nn.Linear(6, 4), nn.Linear(4, 2), nn.Linear(6, 2)
teacher.requires_grad_(False)
optimizer = torch.optim.SGD([*features.parameters(), *head.parameters()], lr=0.1)
x, y = torch.randn(8, 6), torch.randn(8, 2)
labels = torch.randint(2, (8,))


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate, self.points = nn.Linear(6, 4), nn.Linear(4, 2)

    def forward(self, x):
        gate = self.gate(x).softmax(-1)
        return {"moved": self.points(gate), "gate": gate.detach()}  # expect: detach-in-objective "coef * sparsity"


def loss_of(out, target, coef):
    sparsity = (out["gate"] * (1 - out["gate"])).sum(-1).mean()
    return (out["moved"] - target).pow(2).mean() + coef * sparsity


gated = Gated()
loss_of(gated(x), y, 0.5).backward()


def with_weights(beta=0.1):
    hidden = features(x)
    penalty = hidden.detach().pow(2).mean()  # expect: detach-in-objective
    loss = F.mse_loss(head(hidden), y) + beta * penalty
    loss.backward()


def with_data(args):
    reg = 0.0
    for weight in head.parameters():
        reg += weight.data.norm(2)  # expect: detach-in-objective "weight.data"
    loss = F.cross_entropy(head(features(x)), labels) + args.decay * reg
    loss.backward()


def entropy_of(logits):
    p = logits.detach().softmax(-1)  # expect: detach-in-objective
    return (p * (1 - p)).sum(-1).mean()


def with_entropy():
    logits = head(features(x))
    loss = F.cross_entropy(logits, labels)
    loss = loss - 0.01 * entropy_of(logits)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


class Centred(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.top = nn.Linear(6, 4), nn.Linear(4, 2)

    def forward(self, x):
        h = self.body(x)
        return self.top(h), h.detach()  # expect: detach-in-objective


centred = Centred()
for batch in torch.randn(3, 8, 6):
    scores, hidden = centred(batch)
    loss = F.cross_entropy(scores, labels) + 0.5 * ((hidden - hidden.mean(0)) ** 2).mean()
    loss.backward()


class Lit(L.LightningModule):
    def __init__(self, beta: float):
        super().__init__()
        self.encoder, self.decoder = nn.Linear(6, 2), nn.Linear(2, 6)
        self.beta = beta

    def training_step(self, batch, batch_idx):
        z = self.encoder(batch)
        size = z.detach().abs().mean()  # expect: detach-in-objective
        loss = F.mse_loss(self.decoder(z), batch) + self.beta * size
        return loss


class Trainer:
    def __init__(self, net):
        self.net, self.critic = nn.Linear(6, 2), nn.Linear(2, 1)

    def backward(self, batch):
        self.fake = self.net(batch)
        still = self.fake.detach()  # expect: detach-in-objective "F.mse_loss(still[1:], still[:-1])"
        self.loss_smooth = F.mse_loss(still[1:], still[:-1])
        self.loss = F.mse_loss(self.net(batch), batch[:, :2]) + 0.1 * self.loss_smooth
        self.loss.backward()


# Right: a target, a weight or a teacher is detached beside something that learns.
def with_targets():
    student, wanted = head(features(x)), teacher(x)
    hard = (student > 0).float()
    straight = hard - student.detach() + student
    focal = (1 - student.softmax(-1)).detach() * F.mse_loss(student, y, reduction="none")
    loss = F.mse_loss(student, wanted.detach()) + straight.mean() + 0.1 * focal.mean()
    loss.backward()


# Right: the two halves of a commitment loss.
def commitment():
    z = features(x)
    code = torch.round(z)
    embedded = head(z)
    loss = F.mse_loss(z, code.detach()) + 0.25 * F.mse_loss(embedded, z.detach().mean(1, keepdim=True))
    loss.backward()


# Right: a probe on detached features learns itself.
def probed():
    hidden = features(x)
    loss = F.mse_loss(head(hidden), y) + F.cross_entropy(model(x.detach()), labels) + head(hidden.detach()).mean()
    loss.backward()


# Right: a temperature that learns from a detached entropy.
def temperature():
    log_alpha = torch.zeros(1, requires_grad=True)
    late = torch.zeros(1)
    late.requires_grad = True
    entropy = head(features(x)).mean()
    alpha_loss = -(log_alpha.exp() * entropy.detach()).mean()
    loss = F.mse_loss(head(features(x)), y) + alpha_loss + late * entropy.detach()
    loss.backward()


# Right: losses scaled by their own size.
def balanced():
    first, second = F.mse_loss(head(features(x)), y), head(features(x)).abs().mean()
    loss = first / first.detach() + second / second.detach()
    loss.backward()


# Right: the discriminator sees a detached image, and learns.
def adversarial(generator, discriminator):
    fake = features(x)
    real_loss = F.mse_loss(head(x[:, :4]), y)
    fake_loss = head(fake.detach()).pow(2).mean()
    (real_loss + fake_loss).backward()
    unknown = discriminator(generator(x).detach()).mean()
    (real_loss + unknown).backward()


# Right: what is not part of the loss may be detached, and so may all of a loss whose weights are elsewhere.
def logged(loader: DataLoader):
    total = 0.0
    for image, target in loader:
        loss = F.mse_loss(head(features(image)), target)
        total = total + loss.detach()
        print(loss.detach() + 0.1 * head.weight.detach().norm())
        loss.backward()
