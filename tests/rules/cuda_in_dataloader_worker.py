import torch
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Pairs(Dataset):
    def __len__(self):
        return 10

    def __getitem__(self, index):
        return torch.tensor([index, 1.0]).to(device)  # expect: cuda-in-dataloader-worker "runs in a worker process, which cannot use CUDA"


class Direct(Dataset):
    def __len__(self):
        return 10

    def __getitem__(self, index):
        return torch.ones(4, device="cuda:0")  # expect: cuda-in-dataloader-worker


loaders = [DataLoader(Pairs(), num_workers=2), DataLoader(Direct(), num_workers=2)]


# From here on everything is right.
class Right(Dataset):
    def __len__(self):
        return 10

    def __getitem__(self, index):
        return torch.tensor([1.0]).to("cpu").to(torch.float64)


class Main(Dataset):
    def __len__(self):
        return 10

    def __getitem__(self, index):
        return torch.tensor([1.0]).to(device)


class Spawned(Main):
    def __getitem__(self, index):
        return torch.tensor([1.0]).cuda()


loaders = [DataLoader(Right(), num_workers=2), DataLoader(Main()), DataLoader(Spawned(), num_workers=2, multiprocessing_context="spawn")]
for batch in loaders[0]:
    batch = batch.to(device)
