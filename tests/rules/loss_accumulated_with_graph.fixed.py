import contextlib
from collections import defaultdict, deque

import torch
from torch import nn
from torch.nn import functional as F

model, criterion, batches = nn.Linear(3, 1), nn.MSELoss(), [(torch.randn(8, 3), torch.randn(8, 1))] * 5
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")


def train(loader):
    running, total, count, history, pairs = 0.0, torch.zeros(()), 0, [], []
    class_total = 0
    for step, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        class_loss, box_loss = criterion(model(x), y), F.l1_loss(model(x), y)
        loss = class_loss + 0.1 * box_loss
        loss.backward()
        optimizer.step()
        running += loss.detach()  # expect: loss-accumulated-with-graph "running grows a graph through every loss: add loss.detach()"
        running += (loss * x.size(0)).detach()  # expect: loss-accumulated-with-graph "add (loss * x.size(0)).detach()"
        total = total + loss.detach()  # expect: loss-accumulated-with-graph "total grows"
        class_total += class_loss.detach()  # expect: loss-accumulated-with-graph "class_total"
        history.append(loss.detach())  # expect: loss-accumulated-with-graph "history keeps the graph of every loss: append loss.detach()"
        history += [loss.cpu().detach()]  # expect: loss-accumulated-with-graph
        pairs.append((step, loss.detach()))  # expect: loss-accumulated-with-graph
        count += len(y)
        if step % 2:
            print(running / 2)
            running = 0.0
    return running / count, total, sum(history)


def train_scaled(loader):
    losses = []
    for x, y in loader:
        loss = criterion(model(x), y)
        scaler.scale(loss / 4).backward()
        losses.append(loss.detach())  # expect: loss-accumulated-with-graph
    return torch.stack(losses).mean().item()


def train_with(accelerator, loader, objective):
    epoch_loss = 0
    while loader:
        loss = objective(model, loader.pop())
        accelerator.backward(loss)
        epoch_loss += loss.detach()  # expect: loss-accumulated-with-graph
    return epoch_loss


def validate(network, loader):
    total = 0
    for x, y in loader:
        total += F.mse_loss(network(x), y).detach()  # expect: loss-accumulated-with-graph "total grows a graph through every F.mse_loss(network(x), y): add F.mse_loss(network(x), y).detach()"
    return total / len(loader)


print(validate(model.eval(), batches).item())


class Trainer:
    def __init__(self):
        self.total, self.losses, self.window = 0.0, [], []
        self.sums = {"loss": 0.0, "seen": []}
        self.pending = 0

    def epoch(self, loader):
        meters, history = defaultdict(float), {"train": [], "lr": []}
        for x, y in loader:
            self.window = []
            loss = criterion(model(x), y)
            loss.backward()
            self.total += loss.detach()  # expect: loss-accumulated-with-graph "self.total grows a graph through every loss: add loss.detach()"
            self.losses.append(loss.detach())  # expect: loss-accumulated-with-graph
            self.sums["loss"] += loss.detach()  # expect: loss-accumulated-with-graph
            meters["loss"] += loss.detach()  # expect: loss-accumulated-with-graph
            history["train"].append(loss.detach())  # expect: loss-accumulated-with-graph
            self.window.append(loss)
            self.pending = self.pending + criterion(model(x), y)
            self.pending.backward()
            history["lr"].append(optimizer.param_groups[0]["lr"])
            self.sums["loss"] += loss.item()
            meters["loss"] += float(loss)
            self.total += loss.detach()


# From here on everything is right.
def right(loader):
    running, total, log, values, steps = 0.0, 0.0, [], [], 0
    for x, y in loader:
        loss = criterion(model(x), y)
        loss.backward()
        running += loss.item()
        total += float(loss)
        log.append(loss.detach())
        values.append(loss.detach().cpu().numpy())
        values.append(loss.data)
        steps += 1
        value = loss.item()
        running += value
        loss = loss.detach()
        total = total + loss
        log.append(loss)
    return running, total, log, values, steps


def sums_of_heads(heads, x):
    for _ in range(3):
        total, parts = 0, []
        for head in heads:
            loss = head(x).pow(2).mean()
            parts.append(loss)
            total += loss
        optimizer.zero_grad()
        total.backward()
        stacked = [F.mse_loss(head(x), x) for head in heads]
        sum(stacked).backward()


def accumulate_then_step(loader):
    accumulated = 0
    for step, (x, y) in enumerate(loader):
        accumulated = accumulated + criterion(model(x), y)
        if step % 4 == 3:
            accumulated.backward()
            optimizer.step()
            accumulated = 0


def truncated(loader, state):
    loss, total = 0, 0.0
    for t, (x, y) in enumerate(loader):
        loss = loss + criterion(model(x), y)
        if t % 8 == 7:
            loss.backward()
            total += loss.item()
            loss = 0
    return total


def retained(loader, x, y):
    shared, total = model(x), 0
    for _ in range(3):
        loss = criterion(shared, y)
        loss.backward(retain_graph=True)
        total += loss
    total.backward()


@torch.no_grad()
def evaluate(network, loader):
    total = 0
    for x, y in loader:
        total += F.mse_loss(network(x), y)
    return total / len(loader)


def evaluate_inside(network, loader, context=contextlib.nullcontext()):
    total, losses = 0, []
    with torch.inference_mode():
        for x, y in loader:
            total += F.mse_loss(network(x), y)
            losses.append(F.mse_loss(network(x), y))
    return total, losses


def objective(network, loader):
    total = 0
    for x, y in loader:
        total += F.mse_loss(network(x), y)
    return total


objective(model, batches).backward()
loss_of_all = objective(model, batches) / 5
loss_of_all.backward()


def library_function(network, loader):
    total = 0
    for x, y in loader:
        total += F.mse_loss(network(x), y)
    return total


def validated_without(network, loader):
    total = 0
    for x, y in loader:
        total += F.mse_loss(network(x), y)
    return total


with torch.no_grad():
    validated_without(model, batches)


def windows(loader, meter):
    recent = deque(maxlen=10)
    for x, y in loader:
        loss = criterion(model(x), y)
        loss.backward()
        recent.append(loss)
        meter.append(loss)
        meter += loss


print(evaluate(model, batches), evaluate_inside(model, batches))


class Watched:
    def __init__(self, module, wanted):
        registered = []
        for name, part in module.named_modules():
            if name in wanted:
                registered.append(name)
                part.register_full_backward_hook(self.backward_hook(name))
        self.registered = registered

    def backward_hook(self, name):
        return lambda module, given, made: print(name)


def counted(model, batches, optimizer):
    tokens = 0
    for batch in batches:
        count = (batch["labels"] != -100).sum()
        tokens += count
        loss = model(batch["inputs"]).sum() * count
        loss.backward()
        optimizer.step()
    return tokens


def with_pauses(model, batches, optimizer):
    running = 0
    for step, batch in enumerate(batches):
        loss = model(batch).sum()
        running += loss.detach()  # expect: loss-accumulated-with-graph
        loss.backward()
        if step % 4 == 3:
            optimizer.step()
            print(running.item())
            running = 0
