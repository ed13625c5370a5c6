"""Training on several GPUs, a process for each: start it with torchrun --nproc-per-node=2 train.py.

stops: dataset, 32, model, optim.SGD, 10, loss_fn
"""

import os

import torch
import torch.distributed as dist
from torch import nn, optim
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

# given:
os.environ |= {"RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "0"}
dataset = TensorDataset(torch.randn(12, 4), torch.randint(3, (12,)))
model, loss_fn = nn.Linear(4, 3), nn.CrossEntropyLoss()

# snippet:
on_gpu = torch.cuda.is_available()
local_rank = int(os.environ["LOCAL_RANK"])
device = torch.device("cuda", local_rank) if on_gpu else torch.device("cpu")
if on_gpu:
    torch.cuda.set_device(device)
dist.init_process_group("nccl" if on_gpu else "gloo")

sampler = DistributedSampler(dataset)
loader = DataLoader(dataset, batch_size=32, sampler=sampler)
model = DistributedDataParallel(model.to(device), device_ids=[local_rank] if on_gpu else None)
optimizer = optim.SGD(model.parameters(), lr=0.1)
for epoch in range(10):
    sampler.set_epoch(epoch)
    for inputs, targets in loader:
        inputs, targets = inputs.to(device), targets.to(device)
        optimizer.zero_grad()
        loss_fn(model(inputs), targets).backward()
        optimizer.step()
dist.destroy_process_group()
