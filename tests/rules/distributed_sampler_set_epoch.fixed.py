import torch
from torch.utils.data import DataLoader, DistributedSampler, RandomSampler, TensorDataset

data = TensorDataset(torch.zeros(8, 1))
sampler = DistributedSampler(data, num_replicas=2, rank=0)
loader = DataLoader(data, sampler=sampler)
ordered = DistributedSampler(data, num_replicas=2, rank=0, shuffle=False)
in_order = DataLoader(data, sampler=ordered)
alone = DataLoader(data, sampler=RandomSampler(data))

for epoch in range(3):  # expect: distributed-sampler-set-epoch "every epoch has the same order: call sampler."
    sampler.set_epoch(epoch)
    for index, batch in enumerate(loader):
        print(index, batch)
for epoch in range(3):  # expect: distributed-sampler-set-epoch
    sampler.set_epoch(epoch)
    print(epoch)
    total = sum(batch[0].sum() for batch in loader)

# From here on everything is right.
for batch in loader:
    print(batch)
for epoch in range(3):
    for batch in in_order:
        print(batch)
for epoch in range(3):
    for batch in alone:
        print(batch)


def in_place(dataset):
    inline = DataLoader(dataset, batch_size=2, sampler=DistributedSampler(dataset))
    for epoch in range(3):  # expect: distributed-sampler-set-epoch "call inline.sampler."
        inline.sampler.set_epoch(epoch)
        for batch in inline:
            print(batch)


def in_place_and_ordered(dataset):
    inline = DataLoader(dataset, batch_size=2, sampler=DistributedSampler(dataset, shuffle=False))
    for epoch in range(3):
        for batch in inline:
            print(batch)
