import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR, OneCycleLR
from tqdm import tqdm

model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
batches = [torch.randn(2, 3)] * 5
epochs = 4

cycle = OneCycleLR(optimizer, max_lr=0.1, epochs=epochs, steps_per_epoch=len(batches))
for epoch in range(epochs):
    for x in batches:
        optimizer.step()
    cycle.step()  # expect: scheduler-in-wrong-loop "cycle is made for every batch of epochs epochs, and steps once per epoch here"

cosine = CosineAnnealingLR(optimizer, T_max=epochs)
for epoch in tqdm(range(epochs)):
    for x in batches:
        optimizer.step()
        cosine.step()  # expect: scheduler-in-wrong-loop "cosine is made for epochs steps, one per epoch, and steps for each batch here"

# From here on everything is right.
each = OneCycleLR(optimizer, max_lr=0.1, epochs=epochs, steps_per_epoch=len(batches))
for epoch in range(epochs):
    for x in batches:
        optimizer.step()
        each.step()

once = CosineAnnealingLR(optimizer, T_max=epochs)
for epoch in range(epochs):
    for x in batches:
        optimizer.step()
    once.step()

long = CosineAnnealingLR(optimizer, T_max=epochs * len(batches))
for epoch in range(epochs):
    for x in batches:
        optimizer.step()
        long.step()

total = OneCycleLR(optimizer, max_lr=0.1, total_steps=epochs)
for epoch in range(epochs):
    for x in batches:
        optimizer.step()
    total.step()


def handed(scheduler):
    scheduler.step()


other = OneCycleLR(optimizer, max_lr=0.1, epochs=epochs, steps_per_epoch=len(batches))
for epoch in range(epochs):
    for x in batches:
        handed(other)
    other.step()

steps = len(batches)
by_step = OneCycleLR(optimizer, max_lr=0.1, epochs=1, steps_per_epoch=steps)
for step in range(steps):
    optimizer.step()
    by_step.step()
