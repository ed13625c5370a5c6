from torchvision import transforms
from torchvision import transforms as T

wrong = transforms.Compose(
    [
        transforms.RandomHorizontalFlip(),
        transforms.Normalize((0.5,), (0.5,)),  # expect: transform-order "Normalize takes a tensor, and gets the image that ToTensor only turns into one after it"
        transforms.ToTensor(),
    ]
)
bytes_of = T.Compose([T.ToTensor(), T.Normalize(mean=[123.675, 116.28, 103.53], std=[58.4, 57.1, 57.4])])  # expect: normalize-byte-range "a mean of 123.675 is one of the range up to 255"

# From here on everything is right.
right = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.5,), (0.5,))])
scaled = T.Compose([T.ToTensor(), T.Lambda(lambda x: x * 255), T.Normalize([123.675], [58.4])])
piled = T.Compose([T.PILToTensor(), T.ConvertImageDtype(float), T.Normalize([0.5], [0.5]), T.ToTensor()])
flips = [T.RandomHorizontalFlip()]
mixed = T.Compose([*flips, T.Normalize([0.5], [0.5]), T.ToTensor()])
