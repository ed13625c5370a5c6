"""A transform of images gets another kind of image than it takes.

Why
    Normalize takes a float tensor: before ToTensor it gets a PIL image and raises. ToTensor divides by 255, so the mean and the
    deviation that Normalize is given belong between 0 and 1: with those of the range from 0 to 255 every image becomes almost
    the same constant, and the network learns nothing.

Bad
    from torchvision import transforms
    transform = transforms.Compose([
        transforms.Normalize([0.5], [0.5]),
        transforms.ToTensor(),
    ])

Good
    from torchvision import transforms
    transform = transforms.Compose([
        transforms.ToTensor(),
        transforms.Normalize([0.5], [0.5]),
    ])
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.arguments import arguments_of
from torch_handbook.source.text import span_of

RULE = Rule(
    "transform-order", Severity.ERROR, Category.DATA, entry="guides/images-and-transforms", covers=("normalize-byte-range",)
)
PLACES = ("torchvision.transforms.", "torchvision.transforms.v2.")


@RULE.on(ast.Call)
def composed(call: ast.Call, context: Context) -> Findings:
    if short(call, context) != "Compose" or not call.args or not isinstance(call.args[0], (ast.List, ast.Tuple)):
        return
    steps = [(short(part, context), part) for part in call.args[0].elts if isinstance(part, ast.Call)]
    if len(steps) != len(call.args[0].elts):
        return
    names = [name for name, _ in steps]
    if names.count("ToTensor") != 1 or names.count("Normalize") != 1:
        return
    tensor, normal = names.index("ToTensor"), names.index("Normalize")
    if normal < tensor and not set(names[:normal]) & {"ToImage", "PILToTensor", "ConvertImageDtype", "ToDtype"}:
        words = "Normalize takes a tensor, and gets the image that ToTensor only turns into one after it: put ToTensor before it"
        yield Finding.at(steps[normal][1], words, related=[Related(span_of(steps[tensor][1]), "a tensor from here on")])
    elif normal == tensor + 1 and (mean := largest(steps[normal][1], context)) is not None and mean > 2:
        words = (
            f"ToTensor has divided the image by 255, and a mean of {mean:g} is one of the range up to 255: divide mean and std"
        )
        related = [Related(span_of(steps[tensor][1]), "between 0 and 1 from here on")]
        yield Finding.at(steps[normal][1], f"{words} by 255", related=related, kind="normalize-byte-range")


def short(node: ast.Call, context: Context) -> str:
    """The name of a transform of torchvision, without its module."""
    name = context.name_of(node.func) or ""
    place = next((place for place in PLACES if name.startswith(place)), None)
    return name.rpartition(".")[2] if place is not None else ""


def largest(call: ast.Call, context: Context) -> float | None:
    """The largest number that is written out as the mean."""
    mean = arguments_of(context.file, call, ("mean", "std")).given.get("mean")
    parts = mean.elts if isinstance(mean, (ast.List, ast.Tuple)) else [mean]
    values = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, (int, float))]
    return max(values) if values and len(values) == len(parts) else None
