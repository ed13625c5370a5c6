import torch
import torchvision
import torchvision.transforms as T
import torchvision.transforms.functional as TF
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader, Dataset, Subset, random_split
from torchvision import datasets, transforms
from torchvision.transforms import v2

# What the datasets of every first tutorial give, without reading them.
digits = datasets.MNIST(
    "data",
    train=True,
    download=True,
    transform=transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.1307,), (0.3081,))]),
)
for images, labels in DataLoader(digits, batch_size=64, shuffle=True):
    rows = images.view(images.size(0), -1)  # -> (batch, 784)
    right = nn.Linear(784, 10)(rows)  # -> (batch, 10)
    loss = nn.functional.cross_entropy(right, labels)  # -> ()
    wrong = nn.Linear(784, 10)(images)  # fails shape torch.nn.Linear
for images, labels in DataLoader(digits, batch_size=100):
    count = labels * 1  # -> (100)
images, labels = next(iter(DataLoader(digits, batch_size=100)))
images.resize_(100, 784)
flat = images * 1  # -> (100, 784)
whole = digits.data.float()  # -> (60000, 28, 28)
training, validation = random_split(digits, [50_000, 10_000])
for images, _ in DataLoader(training, batch_size=100):
    picture = images * 1  # -> (100, 1, 28, 28)
for images, _ in DataLoader(ConcatDataset([digits, Subset(digits, range(1000))]), batch_size=50):
    picture = images * 1  # -> (50, 1, 28, 28)

colours = torchvision.datasets.CIFAR10(
    "data",
    False,
    v2.Compose([v2.RandomCrop(32, padding=4), v2.ToImage(), v2.ToDtype(torch.float32, scale=True), v2.RandomErasing()]),
)
for images, _ in DataLoader(colours, batch_size=50):
    maps = nn.Conv2d(3, 8, 3)(images)  # -> (50, 8, 30, 30)
bytes_only = torchvision.datasets.CIFAR10("data", transform=T.PILToTensor())
for images, _ in DataLoader(bytes_only, batch_size=50):
    maps = nn.Conv2d(3, 8, 3)(images)  # fails dtype torch.nn.Conv2d

crop = T.Compose([T.Resize(256), T.CenterCrop(224), T.RandomHorizontalFlip(), T.ToTensor()])
for images, _ in DataLoader(datasets.ImageFolder("photos", crop), batch_size=32, drop_last=True):
    picture = images * 1  # -> (32, 3, 224, 224)
for images, _ in DataLoader(
    datasets.ImageFolder("photos", T.Compose([T.Resize((48, 40)), T.Grayscale(), T.ToTensor()])), 8, drop_last=True
):
    picture = images * 1  # -> (8, 1, 48, 40)
small = T.Lambda(lambda image: TF.to_tensor(TF.resize(image, [14])))
for images, _ in DataLoader(datasets.SVHN("data", "train", T.Compose([small])), batch_size=32, drop_last=True):
    picture = images * 1  # -> (32, 3, 14, 14)


# What is not known stays so: photographs of any size, a loader or a collate of one's own.
def anything(*values):
    return open("somewhere").read()


for images, _ in DataLoader(datasets.ImageFolder("photos", T.Compose([T.Resize(256), T.ToTensor()])), batch_size=32):
    picture = images * 1  # -> no tensor
for images, _ in DataLoader(datasets.ImageFolder("photos", crop, loader=anything), batch_size=32):
    picture = images * 1  # -> no tensor
for images, _ in DataLoader(datasets.MNIST("data", transform=anything), batch_size=100):
    picture = images * 1  # -> no tensor
for images, _ in DataLoader(digits, batch_size=100, collate_fn=anything()):
    picture = images * 1  # -> no tensor
for images, _ in DataLoader(datasets.MNIST("data", transform=T.Compose([T.ToTensor(), anything()])), batch_size=100):
    picture = images * 1  # -> no tensor

# One of two sets of options, of which none changes what a batch is.
options = {"num_workers": 1, "pin_memory": True} if torch.cuda.is_available() else {}
for images, _ in DataLoader(digits, batch_size=100, **options):
    picture = images * 1  # -> (100, 1, 28, 28)


class Pairs(Dataset):
    def __init__(self):
        self.base = datasets.FashionMNIST("data", transform=T.ToTensor())

    def __len__(self):
        return 1000

    def __getitem__(self, index):
        first, label = self.base[index]
        second, other = self.base[index + 1]
        return torch.cat([first, second]), label == other


for pairs, same in DataLoader(Pairs(), batch_size=10):
    both = pairs * 1  # -> (10, 2, 28, 28)
