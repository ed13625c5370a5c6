import torch
import torchvision.transforms.functional as TF
from PIL import Image
from torch.utils.data import DataLoader
from torchvision import datasets, transforms

scaled = transforms.Compose(
    [
        transforms.ToTensor(),
        transforms.Lambda(lambda image: image / 255.0),  # expect: byte-scale-twice "ToTensor has divided by 255 already"
        transforms.Normalize((0.5,), (0.5,)),
    ]
)
plain = transforms.Compose([transforms.Resize(32), transforms.ToTensor()])
digits = datasets.MNIST("data", train=True, transform=plain)
loader = DataLoader(digits, batch_size=32, shuffle=True)
for images, labels in loader:
    images = images / 255.0  # expect: byte-scale-twice "ToTensor has divided by 255 already"
for images, labels in loader:
    flat = images.view(-1, 1024).float() / 255  # expect: byte-scale-twice
picture = Image.open("cat.png")
one = transforms.ToTensor()(picture) / 255  # expect: byte-scale-twice
two = TF.to_tensor(picture) / 255.0  # expect: byte-scale-twice
three = plain(picture)
four = three.unsqueeze(0) / 255  # expect: byte-scale-twice

# From here on everything is right.
right = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.5,), (0.5,))])
bytes_ = transforms.Compose([transforms.PILToTensor(), transforms.Lambda(lambda image: image / 255.0)])
back = transforms.Compose([transforms.ToTensor(), transforms.Lambda(lambda image: image * 255), transforms.Lambda(lambda image: image / 255)])
five = TF.pil_to_tensor(picture) / 255
six = TF.to_tensor(picture) * 255
seven = (TF.to_tensor(picture) * 255).round() / 255
eight = TF.to_tensor(picture) / 2
raw = DataLoader(datasets.MNIST("data", transform=transforms.PILToTensor()), batch_size=32, shuffle=True)
for images, labels in raw:
    images = images.float() / 255
for images, labels in loader:
    images = (images * 255).round()
    images = images / 255
shifted = DataLoader(datasets.MNIST("data", transform=transforms.Compose([transforms.ToTensor(), transforms.Normalize([0], [1 / 255])])), batch_size=32, shuffle=True)
for images, labels in shifted:
    images = images / 255
values = torch.arange(256) / 255
