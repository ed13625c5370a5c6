import torch
from torch import nn
from torch.optim.lr_scheduler import OneCycleLR, ReduceLROnPlateau, StepLR

model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = StepLR(optimizer, step_size=1)
x = torch.randn(8, 3)

for epoch in range(2):
    scheduler.step()  # expect: scheduler-step-order "scheduler.step() runs before optimizer.step(), so the first learning rate is skipped"
    optimizer.zero_grad()
    model(x).mean().backward()
    optimizer.step()

for epoch in range(2):
    scheduler.step()  # expect: scheduler-step-order
    for batch in (x, x):
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()

# From here on everything is right.
for epoch in range(2):
    optimizer.zero_grad()
    model(x).mean().backward()
    optimizer.step()
    scheduler.step()

for epoch in range(2):
    for batch in (x, x):
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()
    scheduler.step()

for epoch in range(2):
    if epoch:
        scheduler.step()
    optimizer.zero_grad()
    model(x).mean().backward()
    optimizer.step()

plateau = ReduceLROnPlateau(optimizer)
for epoch in range(2):
    plateau.step(0.5)
    optimizer.zero_grad()
    model(x).mean().backward()
    optimizer.step()


def custom(scheduler, optimizer):
    for epoch in range(2):
        scheduler.step()
        optimizer.step()


cycle = OneCycleLR(optimizer, 0.1, total_steps=10)
for _ in range(3):
    cycle.step()


def given(planned, optimizer, batches):
    for batch in batches:
        optimizer.zero_grad()
        model(batch).mean().backward()
        planned.step()  # expect: scheduler-step-order "planned.step() runs before optimizer.step()"
        optimizer.step()


given(StepLR(optimizer, 10), optimizer, [x])


def passed_on(planned, optimizer, batches):
    for batch in batches:
        planned.step()
        optimizer.step()


passed_on(loaded_from_a_plugin(optimizer), optimizer, [x])
