"""The datasets of torchvision that have pictures of one known size, or of a known number of channels: nothing is read or loaded.

Sizes and numbers of samples are those of the published datasets.
"""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import torch
from torch.utils.data import Dataset

from torch_handbook_worker.tensors.values import UNKNOWN, Unknown
from torch_handbook_worker.tensors.vision_transforms import Picture, applied

Size = Tuple[int, Optional[int], Optional[int]]  # channels, height, width


class Vision(Dataset):  # type: ignore[type-arg]
    """A dataset of (picture, number of its class)."""

    picture: Size = (3, None, None)
    counts: Tuple[Tuple[Any, int], ...] = ()  # of each part
    order: Tuple[str, ...] = ("root", "split", "transform", "target_transform")

    def __init__(self, *given: Any, **named: Any) -> None:
        known = {**dict(zip(self.order, given)), **named}
        self.transform, self.target_transform = known.get("transform"), known.get("target_transform")
        both = known.get("transforms")
        self.transforms = both
        self.part = known.get("train", True) if "train" in self.order else known.get("split", "train")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Unknown(name=name)

    def __len__(self) -> int:
        count = dict(self.counts).get(self.part) if isinstance(self.part, (bool, str)) else None
        if count is None:
            raise TypeError("the number of samples is not known")
        return count

    def __getitem__(self, index: Any) -> Any:
        if self.transforms is not None:
            return UNKNOWN
        return applied(self.transform, Picture(*self.picture)), applied(self.target_transform, self.target())

    def target(self) -> Any:
        """The number of a class."""
        return Unknown("int")


class Trained(Vision):
    """Those that say train=True where others say split="train"."""

    order = ("root", "train", "transform", "target_transform", "download")


class Digits(Trained):
    """MNIST and those that have its form; all pictures are one tensor."""

    picture = (1, 28, 28)
    counts = ((True, 60_000), (False, 10_000))

    @property
    def data(self) -> Any:
        """All pictures."""
        return torch.empty([len(self), 28, 28], dtype=torch.uint8)

    @property
    def targets(self) -> Any:
        """The classes of all pictures."""
        return torch.empty([len(self)], dtype=torch.int64)


class Small(Trained):
    """CIFAR."""

    picture = (3, 32, 32)
    counts = ((True, 50_000), (False, 10_000))


class Letters(Vision):
    """EMNIST has as many parts as kinds of labels."""

    picture = (1, 28, 28)


class Postal(Trained):
    """USPS."""

    picture = (1, 16, 16)
    counts = ((True, 7_291), (False, 2_007))


class HouseNumbers(Vision):
    """SVHN."""

    picture = (3, 32, 32)
    counts = (("train", 73_257), ("test", 26_032), ("extra", 531_131))


class Stl(Vision):
    """STL10."""

    picture = (3, 96, 96)
    order = ("root", "split", "folds", "transform", "target_transform")
    counts = (("test", 8_000), ("unlabeled", 100_000))


class Faces(Vision):
    """CelebA: what a target is depends on target_type."""

    picture = (3, 218, 178)
    order = ("root", "split", "target_type", "transform", "target_transform")

    def target(self) -> Any:
        return UNKNOWN


class Satellite(Vision):
    """EuroSAT."""

    picture = (3, 64, 64)
    order = ("root", "transform", "target_transform")


class Made(Vision):
    """FakeData: pictures of the size that it is told."""

    order = ("size", "image_size", "num_classes", "transform", "target_transform")

    def __init__(self, size: Any = 1000, image_size: Any = (3, 224, 224), *given: Any, **named: Any) -> None:
        super().__init__(size, image_size, *given, **named)
        self.count, self.image_size = size, image_size

    def __len__(self) -> int:
        if not isinstance(self.count, int):
            raise TypeError("the number of samples is not known")
        return self.count

    def __getitem__(self, index: Any) -> Any:
        sizes = self.image_size
        if not isinstance(sizes, (list, tuple)) or len(sizes) != 3 or not all(isinstance(size, int) for size in sizes):
            return UNKNOWN
        return applied(self.transform, Picture(*sizes)), applied(self.target_transform, self.target())


class Folder(Vision):
    """ImageFolder: its own loader makes every picture RGB."""

    order = ("root", "transform", "target_transform", "loader", "is_valid_file")

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.own = len(given) > 3 or "loader" in named

    def __getitem__(self, index: Any) -> Any:
        return UNKNOWN if self.own else super().__getitem__(index)


class Coloured(Vision):
    """Photographs of any size, made RGB."""


class Net(Coloured):
    """ImageNet takes its transforms by name."""

    order = ("root", "split")
    counts = (("train", 1_281_167), ("val", 50_000))


class Pets(Coloured):
    """OxfordIIITPet: target_types may ask for masks."""

    order = ("root", "split", "target_types", "transforms", "transform", "target_transform")

    def target(self) -> Any:
        return UNKNOWN


CLASSES: Dict[str, type] = {
    "MNIST": Digits, "FashionMNIST": type("FashionMNIST", (Digits,), {}), "KMNIST": type("KMNIST", (Digits,), {}),
    "EMNIST": Letters, "USPS": Postal, "CIFAR10": Small, "CIFAR100": type("CIFAR100", (Small,), {}), "SVHN": HouseNumbers,
    "STL10": Stl, "CelebA": Faces, "EuroSAT": Satellite, "FakeData": Made, "ImageFolder": Folder, "ImageNet": Net,
    "Flowers102": type("Flowers102", (Coloured,), {}), "Food101": type("Food101", (Coloured,), {}),
    "StanfordCars": type("StanfordCars", (Coloured,), {}), "OxfordIIITPet": Pets,
}  # fmt: skip
