import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
data = torch.randn(1000, 8, device=device)
net = torch.nn.Linear(8, 1).to(device)
for epoch in range(2):
    order = torch.randperm(len(data), device=data.device)  # expect: randperm-device "randperm makes its indices on the CPU, and data is on the GPU"
    for idx in order.split(250):
        net(data[idx]).sum().backward()
labels = torch.zeros(1000, dtype=torch.long).to(device)
for start in range(0, 1000, 100):
    picked = labels[torch.randperm(1000, device=labels.device)[:100]]  # expect: randperm-device "give device=labels.device"
images = torch.rand(10, 3).cuda()
mixed = torch.randperm(images.size(0), device=images.device)  # expect: randperm-device
blend = 0.5 * images + 0.5 * images[mixed]
rows = torch.randint(0, 10, (4,), device=images.device)  # expect: randperm-device "randint makes its indices"
some = images[rows, :]

# From here on everything is right.
order = torch.randperm(len(data), device=data.device)
batch = data[order[:250]]
order = torch.randperm(len(data)).to(device)
batch = data[order]
host = torch.randn(1000, 8)
batch = host[torch.randperm(1000)]
batch = host[torch.randperm(1000)].to(device)
first = data[:250]
one = data[0]


def shuffled(x):
    return x[torch.randperm(len(x))]
