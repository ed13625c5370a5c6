import torch
from torch import nn

model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
total, losses = 0.0, []
for step in range(3):
    loss = model(torch.randn(8, 3)).pow(2).mean()
    total += loss.item  # expect: method-not-called "loss.item is named here and not called, and a method cannot be computed with: add brackets"
    mean = loss.item / 8  # expect: method-not-called
    print(f"step {step}: {loss.item:.4f}")  # expect: method-not-called "cannot be formatted as a number"
    print(f"step {step}: {loss.item}", loss.item)  # expect: method-not-called "prints as an address"; method-not-called
    print("rate", schedule.get_last_lr)  # expect: method-not-called
x = torch.zeros(2, 3)
if x.dim == 2:  # expect: method-not-called "a method is equal to no value"
    x = x.unsqueeze(0)
if model.train:  # expect: method-not-called "a method is always true: ask model.training"
    x = x + 1
while not model.eval and total < 3:  # expect: method-not-called
    total += 1


def cast(images, labels):
    images = torch.stack(images)
    images = images.float  # expect: method-not-called "images.float is named here and not called, and a method takes the place of the tensor"
    return images


# From here on everything is right.
total += loss.item()
print(f"{loss.item():.4f} {loss.dtype} {loss.shape}", loss.device, x.T, x.grad)
if model.training and x.dim() == 2 and x.is_floating_point():
    x = x + x.grad if x.grad is not None else x
read = loss.item
values = [f() for f in (x.sum, x.mean)]
losses.append(loss.item)
same = read == loss.item
is_method = x.sum is x.mean
chosen = x.sum if total > 3 else x.mean
if callable(x.sum):
    print(chosen())


class Wave:
    item, mean = 3, 4


wave = Wave()
print(wave.item + wave.mean, f"{wave.item:.2f}")


class Net(nn.Module):
    """Has a flag of its own of this name."""

    def __init__(self, eval=False):  # noqa: A002
        super().__init__()
        self.state = eval

    @property
    def half(self):
        return self.state


net = Net()
if net.half:
    print(net.half)


def look(tensor, network):
    if tensor.sum and network.eval:
        return tensor.item == 3
    return f"{tensor.item}"


try:
    print(loss.item + 1)
except TypeError:
    print("a method")


def kept(rows):
    rows = torch.stack(rows)
    rows = rows.T
    mean = rows.mean
    return rows, mean()
