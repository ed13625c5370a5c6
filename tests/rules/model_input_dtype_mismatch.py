import numpy as np
import pytest
import torch
from torch import nn

net = nn.Sequential(nn.Linear(10, 20), nn.GELU(), nn.Linear(20, 2))
net.eval()
net.half()
x = torch.rand(3, 10)
y = net(x)  # expect: model-input-dtype-mismatch "x is float32, but the weights of net are float16: use x.half()"
conv = nn.Conv2d(3, 8, 3).to(torch.bfloat16)
out = conv(torch.randn(1, 3, 8, 8))  # expect: model-input-dtype-mismatch "use torch.randn(1, 3, 8, 8).bfloat16()"
array = np.random.rand(3, 10)
batch = torch.from_numpy(array)
layer = nn.Linear(10, 2)
y = layer(batch)  # expect: model-input-dtype-mismatch "batch is float64, but the weights of layer are float32: use batch.float()"
y = layer(torch.tensor(np.linspace(0, 1, 10)))  # expect: model-input-dtype-mismatch
y = layer(torch.zeros(3, 10, dtype=torch.float64))  # expect: model-input-dtype-mismatch
double = nn.Linear(10, 2)
double.double()
y = double(torch.ones(3, 10))  # expect: model-input-dtype-mismatch "use torch.ones(3, 10).double()"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(10, 4), nn.ReLU())

    def forward(self, x):
        return self.body(x)


model = Net().to("cpu").half()
y = model(torch.rand(3, 10))  # expect: model-input-dtype-mismatch
data = torch.as_tensor(np.array([[0.1] * 10]))
y = Net()(data)  # expect: model-input-dtype-mismatch

# From here on everything is right.
y = net(x.half())
y = conv(torch.randn(1, 3, 8, 8).to(torch.bfloat16))
y = layer(batch.float())
y = layer(torch.from_numpy(array.astype(np.float32)))
y = layer(torch.from_numpy(array).to(torch.float32))
y = layer(torch.rand(3, 10))
y = double(batch)
back = nn.Linear(10, 2).half()
back.float()
y = back(torch.rand(3, 10))
first = nn.Flatten()
first.half()
y = first(torch.rand(3, 10))
table = nn.Sequential(nn.Embedding(10, 4), nn.Linear(4, 2)).half()
y = table(torch.randint(0, 10, (3,)))


class Casting(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(10, 4)

    def forward(self, x):
        return self.body(x.to(self.body.weight.dtype))


casting = Casting().half()
y = casting(torch.rand(3, 10))
maybe = nn.Linear(10, 2)
if torch.cuda.is_available():
    maybe.half()
y = maybe(torch.rand(3, 10))
with pytest.raises(RuntimeError):
    net(torch.rand(3, 10))


def apply(network, values):
    return network(values)
