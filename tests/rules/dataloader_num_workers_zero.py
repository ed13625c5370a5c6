import cv2
import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset, TensorDataset
from torchvision import datasets


class Photos(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        return self.load(self.paths[index])

    def load(self, path):
        return torch.from_numpy(np.array(Image.open(path).convert("RGB")))


class Frames(Dataset):
    def __len__(self):
        return 10

    def __getitem__(self, index):
        return cv2.imread(f"{index}.png")


class Lines(Dataset):
    def __len__(self):
        return 10

    def __getitem__(self, index):
        with open(f"{index}.txt") as file:
            return file.read()


photos = DataLoader(Photos(["a.jpg"]), batch_size=32, shuffle=True)  # expect: dataloader-num-workers-zero "num_workers is 0, so Image.open runs in the training process"
frames = DataLoader(Frames(), batch_size=8, num_workers=0)  # expect: dataloader-num-workers-zero "cv2.imread"
lines = DataLoader(Lines(), 8)  # expect: dataloader-num-workers-zero "so open runs"
folder = datasets.ImageFolder("images")
images = DataLoader(folder, batch_size=32, shuffle=True)  # expect: dataloader-num-workers-zero "datasets.ImageFolder"


# From here on everything is right.
class Memory(Dataset):
    def __init__(self, path):
        self.rows = np.load(path)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return torch.from_numpy(self.rows[index])


photos = DataLoader(Photos(["a.jpg"]), batch_size=32, shuffle=True, num_workers=4)
memory = DataLoader(Memory("rows.npy"), batch_size=32, shuffle=True)
tensors = DataLoader(TensorDataset(torch.zeros(8, 3)), batch_size=4, num_workers=0)
digits = DataLoader(datasets.MNIST("data"), batch_size=32, shuffle=True)
look = DataLoader(Photos(["a.jpg"]), batch_size=4, shuffle=True)  # for one look at the pictures
rows = next(iter(look))


def loader_of(dataset, options, workers):
    return DataLoader(dataset), DataLoader(Frames(), **options), DataLoader(Frames(), num_workers=workers)
