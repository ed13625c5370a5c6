import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_

model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(8, 3)

for _ in range(2):
    optimizer.zero_grad()
    loss = model(x).mean()
    clip_grad_norm_(model.parameters(), 1.0)  # expect: clip-before-backward "clip_grad_norm_ runs before loss.backward(), when all gradients are cleared"
    loss.backward()
    optimizer.step()

for _ in range(2):
    loss = model(x).mean()
    nn.utils.clip_grad_value_(model.parameters(), 1.0)  # expect: clip-before-backward
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()

for _ in range(2):
    optimizer.zero_grad()
    loss = model(x).mean()
    loss.backward()
    optimizer.step()
    clip_grad_norm_(model.parameters(), 1.0)  # expect: clip-before-backward "runs after optimizer.step(), which has used the gradients: clip before the step"

# From here on everything is right.
for _ in range(2):
    optimizer.zero_grad()
    loss = model(x).mean()
    loss.backward()
    clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()

for step in range(4):
    loss = model(x).mean() / 2
    loss.backward()
    if step % 2:
        clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()


def update(losses):
    optimizer.zero_grad()
    for one in losses:
        one.backward()
    clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()


def logged():
    norm = clip_grad_norm_(model.parameters(), float("inf"))
    optimizer.step()
    return norm


def closure():
    optimizer.zero_grad()
    loss = model(x).mean()
    loss.backward()
    clip_grad_norm_(model.parameters(), 1.0)
    return loss


def scheduled(optimizer, scheduler, batches):
    for batch in batches:
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()
        clip_grad_norm_(model.parameters(), 1.0)  # expect: clip-after-step "runs after optimizer.step(), which has used the gradients"
        scheduler.step()


def in_order(optimizer, scheduler, batches):
    for batch in batches:
        optimizer.zero_grad()
        model(batch).mean().backward()
        clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
