"""torchvision's transforms, as far as sizes and types go: the library itself is neither needed nor imported."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

import torch

from torch_handbook_worker.tensors.sizes import fixed
from torch_handbook_worker.tensors.values import UNKNOWN, Unknown, unknown_in, words


class Picture:
    """A picture that is no tensor yet; a size that is not known is None."""

    def __init__(self, channels: int, height: Any = None, width: Any = None) -> None:
        self.channels, self.height, self.width = channels, height, width

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Unknown(name=name)

    @property
    def size(self) -> Any:
        """As Pillow says it: the width first."""
        return UNKNOWN if self.height is None else (self.width, self.height)

    @property
    def mode(self) -> str:
        """Pillow's name of the channels."""
        return MODES.get(self.channels, "RGB")

    def convert(self, mode: Any, *others: Any) -> Any:
        """Pillow's convert."""
        channels = {name: count for count, name in MODES.items()}.get(mode if isinstance(mode, str) else "")
        return UNKNOWN if channels is None else Picture(channels, self.height, self.width)

    def resize(self, size: Any, *others: Any, **named: Any) -> Any:
        """Pillow's resize: the width first."""
        pair = _pair(size)
        return UNKNOWN if pair is None else Picture(self.channels, pair[1], pair[0])


MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}


def _is_size(value: Any) -> bool:
    return isinstance(value, (int, torch.SymInt)) and not isinstance(value, bool)


def _pair(size: Any) -> Optional[Tuple[Any, Any]]:
    """A size as it is given: one number for both sides, or a pair."""
    if isinstance(size, (list, tuple)):
        size = tuple(size) * 2 if len(size) == 1 else tuple(size)
        return size if len(size) == 2 and all(map(_is_size, size)) else None
    return (size, size) if _is_size(size) else None


def _sides(value: Any) -> Tuple[Any, Any]:
    """Height and width of a picture or of a tensor that holds one."""
    if isinstance(value, Picture):
        return value.height, value.width
    return value.shape[-2], value.shape[-1]


def _is_picture(value: Any) -> bool:
    return isinstance(value, Picture) or (isinstance(value, torch.Tensor) and value.dim() >= 2)


def _sized(value: Any, height: Any, width: Any) -> Any:
    """The same with other sides."""
    if isinstance(value, Picture):
        return Picture(value.channels, height, width)
    return torch.empty([*value.shape[:-2], height, width], dtype=value.dtype)


def _channelled(value: Any, channels: Any) -> Any:
    """The same with another number of channels."""
    if not _is_size(channels):
        return UNKNOWN
    if isinstance(value, Picture):
        return Picture(channels, value.height, value.width)
    return torch.empty([*value.shape[:-3], channels, *value.shape[-2:]], dtype=value.dtype)


class Transform:
    """One that leaves sizes as they are: flips, colours, noise."""

    def __init__(self, *given: Any, **named: Any) -> None:
        self.given, self.named = given, named

    def argument(self, place: int, name: str, default: Any = None) -> Any:
        """An argument by its place or name."""
        return self.given[place] if len(self.given) > place else self.named.get(name, default)

    def __call__(self, *values: Any) -> Any:
        if len(values) != 1:
            return UNKNOWN  # the new transforms take boxes and masks along
        return self.of(values[0]) if _is_picture(values[0]) else UNKNOWN

    def of(self, value: Any) -> Any:
        """What becomes of a picture."""
        return value


class Rotated(Transform):
    """RandomRotation, which may be told to grow the picture."""

    def of(self, value: Any) -> Any:
        return value if self.argument(2, "expand", False) is False else UNKNOWN


class Cropped(Transform):
    """The crops, which give the size that they are told, whatever came in."""

    def of(self, value: Any) -> Any:
        pair = _pair(self.argument(0, "size"))
        return UNKNOWN if pair is None else _sized(value, *pair)


class Resize(Transform):
    """Two numbers are height and width; one is the shorter side, and the proportions stay."""

    def of(self, value: Any) -> Any:
        size = self.argument(0, "size")
        if isinstance(size, (list, tuple)) and len(size) == 2:
            return _sized(value, *size) if _pair(size) else UNKNOWN
        if isinstance(size, (list, tuple)) and len(size) == 1:
            size = size[0]
        if not _is_size(size) or self.argument(2, "max_size") is not None:
            return UNKNOWN
        height, width = (None if side is None else fixed(side) for side in _sides(value))
        if height is None or width is None:
            return Picture(value.channels) if isinstance(value, Picture) else UNKNOWN
        if height == width:
            return _sized(value, size, size)
        known = fixed(size)
        if known is None:
            return UNKNOWN
        longer = int(known * max(height, width) / min(height, width))
        return _sized(value, *((known, longer) if height < width else (longer, known)))


class Pad(Transform):
    """One number for all sides; two for left and right, top and bottom; or left, top, right, bottom."""

    def of(self, value: Any) -> Any:
        padding = self.argument(0, "padding")
        rows: List[Any] = list(padding) if isinstance(padding, (list, tuple)) else [padding]
        height, width = _sides(value)
        if height is None or not all(map(_is_size, rows)) or len(rows) not in (1, 2, 4):
            return UNKNOWN
        left, top, right, bottom = (rows * 4)[:4] if len(rows) < 4 else rows
        return _sized(value, height + top + bottom, width + left + right)


class Grayscale(Transform):
    """One channel, or the number that it is told."""

    def of(self, value: Any) -> Any:
        return _channelled(value, self.argument(0, "num_output_channels", 1))


class Rgb(Transform):
    """The new transforms' RGB."""

    def of(self, value: Any) -> Any:
        return _channelled(value, 3)


class ToTensor(Transform):
    """A picture becomes float32 between 0 and 1, channels first."""

    dtype = torch.float32

    def of(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return UNKNOWN  # it takes pictures and arrays
        return _tensor(value, self.dtype)


class Bytes(Transform):
    """PILToTensor and ToImage: the numbers stay what they were."""

    def of(self, value: Any) -> Any:
        return value if isinstance(value, torch.Tensor) else _tensor(value, torch.uint8)


def _tensor(picture: Picture, dtype: Any) -> Any:
    if picture.height is None:
        return UNKNOWN
    return torch.empty([picture.channels, picture.height, picture.width], dtype=dtype)


class Typed(Transform):
    """ConvertImageDtype and ToDtype."""

    def of(self, value: Any) -> Any:
        dtype = self.argument(0, "dtype", torch.float32)
        return value.to(dtype) if isinstance(value, torch.Tensor) and isinstance(dtype, torch.dtype) else UNKNOWN


class Normalize(Transform):
    """Each channel minus its mean, by its deviation; the lists are as long as there are channels, or have one number."""

    def of(self, value: Any) -> Any:
        given = [self.argument(0, "mean"), self.argument(1, "std")]
        if not isinstance(value, torch.Tensor) or unknown_in(given) is not None:
            return UNKNOWN
        channels = fixed(value.shape[-3]) if value.dim() > 2 else None
        lengths = {len(row) for row in given if isinstance(row, (list, tuple))}
        return value if channels is not None and lengths <= {1, channels} else UNKNOWN


class ToPicture(Transform):
    """ToPILImage."""

    def of(self, value: Any) -> Any:
        if isinstance(value, Picture):
            return value
        channels = fixed(value.shape[0]) if value.dim() == 3 else 1 if value.dim() == 2 else None
        return UNKNOWN if channels is None else Picture(channels, *value.shape[-2:])


class Lambda(Transform):
    """The user's own function."""

    def of(self, value: Any) -> Any:
        return applied(self.argument(0, "lambd"), value)


class Compose(Transform):
    """One after the other."""

    def __call__(self, *values: Any) -> Any:
        rows = self.argument(0, "transforms")
        if len(values) != 1 or not isinstance(rows, (list, tuple)):
            return UNKNOWN
        value = values[0]
        for row in rows:
            value = applied(row, value)
        return value


class Perhaps(Compose):
    """RandomApply: what its transforms may leave out must not change sizes."""

    def __call__(self, *values: Any) -> Any:
        made = super().__call__(*values)
        return made if len(values) == 1 and _alike(made, values[0]) else UNKNOWN


class OneOf(Compose):
    """RandomChoice and RandomOrder: known where any of them gives the same."""

    def __call__(self, *values: Any) -> Any:
        rows = self.argument(0, "transforms")
        if len(values) != 1 or not isinstance(rows, (list, tuple)):
            return UNKNOWN
        return values[0] if all(_alike(applied(row, values[0]), values[0]) for row in rows) else UNKNOWN


def _alike(one: Any, other: Any) -> bool:
    if isinstance(one, Picture) and isinstance(other, Picture):
        return (one.channels, one.height, one.width) == (other.channels, other.height, other.width)
    both = isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor)
    return both and one.shape == other.shape and one.dtype == other.dtype


def applied(transform: Any, value: Any) -> Any:
    """A transform, or any function of the user's, on a value."""
    if transform is None:
        return value
    return UNKNOWN if isinstance(transform, Unknown) or not callable(transform) else transform(value)


KEEPING = words(
    "RandomHorizontalFlip RandomVerticalFlip RandomAffine RandomPerspective ElasticTransform ColorJitter RandomGrayscale "
    "RandomErasing GaussianBlur GaussianNoise RandomInvert RandomPosterize RandomSolarize RandomAdjustSharpness "
    "RandomAutocontrast RandomEqualize RandomPhotometricDistort RandomChannelPermutation AutoAugment RandAugment "
    "TrivialAugmentWide AugMix Identity"
)
CLASSES: Dict[str, type] = {
    **{name: type(name, (Transform,), {}) for name in KEEPING},
    **{name: type(name, (Cropped,), {}) for name in ("CenterCrop", "RandomCrop", "RandomResizedCrop")},
    "RandomRotation": Rotated, "Resize": Resize, "Pad": Pad, "Grayscale": Grayscale, "ToTensor": ToTensor, "PILToTensor": Bytes,
    "ConvertImageDtype": Typed, "Normalize": Normalize, "ToPILImage": ToPicture, "Lambda": Lambda, "Compose": Compose,
    "RandomApply": Perhaps, "RandomChoice": OneOf, "RandomOrder": OneOf,
}  # fmt: skip
NEWER: Dict[str, type] = {**CLASSES, "ToImage": Bytes, "ToDtype": Typed, "RGB": Rgb}
FUNCTIONS: Dict[str, str] = {
    "to_tensor": "ToTensor", "pil_to_tensor": "PILToTensor", "to_pil_image": "ToPILImage", "resize": "Resize", "pad": "Pad",
    "center_crop": "CenterCrop", "normalize": "Normalize", "hflip": "RandomHorizontalFlip", "vflip": "RandomVerticalFlip",
    "convert_image_dtype": "ConvertImageDtype", "rgb_to_grayscale": "Grayscale",
}  # fmt: skip


def function(name: str) -> Any:
    """One of the functions of torchvision.transforms.functional."""
    kind = CLASSES[FUNCTIONS[name]]
    return lambda value, *given, **named: kind(*given, **named)(value)
