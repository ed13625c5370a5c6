import torch
import torch.nn.functional as F
from torch import nn

model, criterion = nn.Linear(4, 2), nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
adam = torch.optim.AdamW(model.parameters())
accumulate, count = 4, 8


def plain(loader):
    for i, (x, y) in enumerate(loader):
        loss = criterion(model(x), y)
        loss.backward()  # expect: accumulation-not-scaled "each of accumulate batches"
        if (i + 1) % accumulate == 0:
            optimizer.step()
            optimizer.zero_grad()


def clipped(loader, k):
    optimizer.zero_grad()
    for i, (x, y) in enumerate(loader):
        F.cross_entropy(model(x), y).backward()  # expect: accumulation-not-scaled
        if i % k == k - 1 or i == len(loader) - 1:
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)


class Trainer:
    def __init__(self, model: nn.Module, accumulation_steps):
        self.model, self.steps = model, accumulation_steps
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        self.scaler = torch.amp.GradScaler()

    def epoch(self, loader):
        for step, (x, y) in enumerate(loader):
            with torch.autocast("cuda"):
                loss = F.mse_loss(self.model(x), y)
            self.scaler.scale(loss).backward()  # expect: accumulation-not-scaled "self.steps"
            if (step + 1) % self.steps == 0:
                self.scaler.step(self.optimizer)
                self.scaler.update()
                self.optimizer.zero_grad()


def with_adam(loader):
    for i, x in enumerate(loader):
        loss = model(x).pow(2).mean()
        loss.backward()  # expect: accumulation-not-scaled
        if (i + 1) % 16 == 0:
            adam.step()
            adam.zero_grad()


# Right: divided, in all ways.
def divided(loader):
    for i, (x, y) in enumerate(loader):
        loss = criterion(model(x), y) / count
        loss.backward()
        if (i + 1) % count == 0:
            optimizer.step()
            optimizer.zero_grad()


def divided_late(loader):
    for i, (x, y) in enumerate(loader):
        loss = criterion(model(x), y)
        loss /= 2
        loss.backward()
        if (i + 1) % 2 == 0:
            optimizer.step()
            optimizer.zero_grad()


# Right: a sum, of unknown weight, or scaled elsewhere.
def summed(loader):
    for i, (x, y) in enumerate(loader):
        loss = F.cross_entropy(model(x), y, reduction="sum")
        loss.backward()
        if (i + 1) % 3 == 0:
            optimizer.step()
            optimizer.zero_grad()


def unknown(loader, loss_of):
    for i, batch in enumerate(loader):
        loss_of(batch).backward()
        if (i + 1) % 3 == 0:
            optimizer.step()
            optimizer.zero_grad()


def accelerated(loader, accelerator):
    for i, (x, y) in enumerate(loader):
        accelerator.backward(criterion(model(x), y))
        if (i + 1) % 3 == 0:
            optimizer.step()
            optimizer.zero_grad()


# Right: it steps each time, and logs now and then.
def logged(loader):
    for i, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        if (i + 1) % 100 == 0:
            print(loss.item())
