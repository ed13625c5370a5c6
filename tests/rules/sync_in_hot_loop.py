import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
loader = DataLoader(TensorDataset(torch.zeros(8, 4), torch.zeros(8, dtype=torch.long)), batch_size=4)
model = nn.Linear(4, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

total, correct = 0.0, 0
for x, y in loader:
    x, y = x.to(device), y.to(device)
    out = model(x)
    loss = F.cross_entropy(out, y)
    print(loss)  # expect: sync-in-hot-loop "print(loss) makes every step wait for the GPU, 3 times in all"
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total += loss.item()
    correct += (out.argmax(1) == y).sum().item()

for x, y in loader:
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x.to(device)), y.to(device))
    loss.backward()
    optimizer.step()
    total += float(loss.detach().cpu())  # expect: sync-in-hot-loop "loss.detach().cpu() makes every step wait for the GPU: add up"


# From here on everything is right.
def right():
    total, shown = torch.zeros((), device=device), 0.0
    for step, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x.to(device)), y.to(device))
        loss.backward()
        optimizer.step()
        total += loss.detach()
        count = y.size(0)
        print(step, count)
        if step % 100 == 0:
            shown = loss.item()
    print(total.item(), shown)
    with torch.no_grad():
        for x, y in loader:
            shown += F.cross_entropy(model(x.to(device)), y.to(device)).item()  # nothing is queued that is to be stepped


def on_the_cpu():
    small = nn.Linear(4, 2)
    steps = torch.optim.SGD(small.parameters(), lr=0.1)
    for x, y in loader:
        steps.zero_grad()
        loss = F.cross_entropy(small(x), y)
        loss.backward()
        steps.step()
        print(loss.item())
