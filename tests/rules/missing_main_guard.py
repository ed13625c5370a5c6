import torch
import torch.multiprocessing as mp
from torch.utils.data import DataLoader, TensorDataset

mp.set_start_method("spawn")
data = TensorDataset(torch.zeros(8))
loader = DataLoader(data, num_workers=2)
alone = DataLoader(data)

for batch in loader:  # expect: missing-main-guard "spawned workers import this script"
    print(batch)
first = next(iter(loader))  # expect: missing-main-guard
total = sum(batch[0].sum() for batch in loader)  # expect: missing-main-guard

# From here on everything is right.
for batch in alone:
    print(batch)


def main():
    for batch in loader:
        print(batch)


if __name__ == "__main__":
    main()
    for batch in loader:
        print(batch)
