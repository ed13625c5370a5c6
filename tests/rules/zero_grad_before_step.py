import torch
from torch import nn

model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
other = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(8, 3)

for _ in range(2):
    loss = model(x).mean()
    loss.backward()
    optimizer.zero_grad()  # expect: zero-grad-before-step "optimizer.zero_grad() throws away the gradients that optimizer.step() is to use"
    optimizer.step()

for i in range(8):
    optimizer.zero_grad()  # expect: zero-grad-before-step "runs in every turn, but optimizer.step() only where (i + 1) % 4 == 0"
    loss = model(x).mean() / 4
    loss.backward()
    if (i + 1) % 4 == 0:
        optimizer.step()

# From here on everything is right.
for _ in range(2):
    optimizer.zero_grad()
    loss = model(x).mean()
    loss.backward()
    optimizer.step()

for _ in range(2):
    loss = model(x).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()

for i in range(8):
    loss = model(x).mean() / 4
    loss.backward()
    if (i + 1) % 4 == 0:
        optimizer.step()
        optimizer.zero_grad()

for _ in range(2):
    model(x).mean().backward()
    other.zero_grad()
    optimizer.step()
    optimizer.zero_grad()


def closure():
    optimizer.zero_grad()
    loss = model(x).mean()
    loss.backward()
    return loss


loss = model(x).mean()
loss.backward()
optimizer.zero_grad()
optimizer.step(closure)


def scaled(loss, scaler):
    scaler.scale(loss).backward()
    optimizer.zero_grad()  # expect: zero-grad-before-step "throws away the gradients that scaler.step(optimizer) is to use"
    scaler.step(optimizer)
    scaler.update()


def scaled_in_order(loss, scaler):
    scaler.scale(loss).backward()
    other.zero_grad()
    scaler.step(optimizer)
    scaler.update()


def with_a_flag(batches):
    for i, batch in enumerate(batches):
        optimizer.zero_grad()  # expect: accumulation-cleared "optimizer.step() only where update"
        (model(batch).mean() / 4).backward()
        update = (i + 1) % 4 == 0
        if update:
            optimizer.step()


def with_another_flag(batches, update):
    for batch in batches:
        optimizer.zero_grad()
        model(batch).mean().backward()
        if update:
            optimizer.step()
