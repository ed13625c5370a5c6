import torch
from torch import nn

model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(8, 3)


def clipped():
    scaler = torch.amp.GradScaler("cpu")
    loss = model(x).mean()
    scaler.scale(loss).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: gradscaler-misuse "these gradients are still scaled: call scaler.unscale_(optimizer) before nn.utils.clip_grad_norm_"
    scaler.step(optimizer)
    scaler.update()


class Trainer:
    def __init__(self):
        self.grad_scaler = torch.amp.GradScaler("cpu")
        self.last = torch.amp.GradScaler("cpu")

    def step(self):
        loss = model(x).mean()
        loss.backward()  # expect: gradscaler-misuse "loss is not scaled, but self.grad_scaler.step(optimizer) divides by the scale and raises"
        self.grad_scaler.step(optimizer)
        self.grad_scaler.update()

    def forget(self):
        loss = model(x).mean()
        self.last.scale(loss).backward()
        self.last.step(optimizer)  # expect: gradscaler-misuse "self.last.update() is never called"


accumulating = torch.amp.GradScaler("cpu")
for i in range(4):
    loss = model(x).mean() / 2
    accumulating.scale(loss).backward()
    accumulating.unscale_(optimizer)  # expect: gradscaler-misuse "runs in each turn, but accumulating.update() only in some"
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    if i % 2:
        accumulating.step(optimizer)
        accumulating.update()
        optimizer.zero_grad()

# From here on everything is right.
right = torch.amp.GradScaler("cpu")
for i in range(4):
    loss = model(x).mean() / 2
    right.scale(loss).backward()
    if i % 2:
        right.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        right.step(optimizer)
        right.update()
        optimizer.zero_grad()

off = torch.amp.GradScaler("cpu")
loss = model(x).mean()
scaled = off.scale(loss)
scaled.backward()
off.step(optimizer)
off.update()


def given(scaler, clip):
    scaler.scale(model(x).mean()).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)


shared = torch.amp.GradScaler("cpu")
given(shared, 1.0)
shared.scale(model(x).mean()).backward()
shared.step(optimizer)
