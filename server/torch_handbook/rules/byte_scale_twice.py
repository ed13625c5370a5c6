"""An image that ToTensor has scaled is divided by 255 once more.

Why
    ToTensor gives floats between 0 and 1. Divided by 255 again, every pixel is below 0.004: the input is nearly constant, and the
    network learns slowly or not at all. Nothing raises.

Bad
    from torchvision import transforms
    transform = transforms.Compose([
        transforms.ToTensor(),
        transforms.Lambda(lambda image: image / 255),
    ])

Good
    from torchvision import transforms
    transform = transforms.Compose([
        transforms.ToTensor(),
    ])
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.arguments import arguments_of
from torch_handbook.source.text import span_of
from torch_handbook.source.torch_names import words

RULE = Rule("byte-scale-twice", Severity.ERROR, Category.DATA, entry="guides/images-and-transforms")
TRANSFORMS = ("torchvision.transforms.", "torchvision.transforms.v2.")
FUNCTIONS = ("torchvision.transforms.functional.to_tensor", "torchvision.transforms.v2.functional.to_tensor")
KEEPING = words("float to cuda cpu view reshape unsqueeze squeeze flatten contiguous")
# What leaves the scale as it is; Normalize and others may be meant to come before a division.
NEUTRAL = words(
    "Resize CenterCrop RandomCrop RandomResizedCrop RandomHorizontalFlip RandomVerticalFlip Pad Grayscale RandomRotation "
    "RandomAffine ColorJitter"
)
WORDS = "ToTensor has divided by 255 already, and this makes every pixel smaller than 0.004: leave it out"


@RULE.on(ast.Call)
def composed(call: ast.Call, context: Context) -> Findings:
    """A Lambda behind ToTensor that divides."""
    if short(call, context) != "Compose" or not call.args or not isinstance(call.args[0], (ast.List, ast.Tuple)):
        return
    scaled: ast.expr | None = None
    for step in call.args[0].elts:
        name = short(step, context) if isinstance(step, ast.Call) else ""
        if name == "ToTensor":
            scaled = step
        elif name == "Lambda" and scaled is not None and isinstance(step, ast.Call) and step.args:
            function = step.args[0]
            if isinstance(function, ast.Lambda) and function.args.args and is_division(function.body, function.args.args[0].arg):
                yield Finding.at(function.body, WORDS, related=[Related(span_of(scaled), "between 0 and 1 from here on")])
            return
        elif name not in NEUTRAL:
            scaled = None


@RULE.on(ast.BinOp)
def divided(node: ast.BinOp, context: Context) -> Findings:
    """`to_tensor(image) / 255`, `images / 255` of the batches of a loader."""
    if not isinstance(node.op, ast.Div) or not is_255(node.right):
        return
    made = context.assigned(plain(node.left))
    made = plain(made) if made is not None else None
    if isinstance(made, ast.Call) and gives_scaled(made, context):
        yield Finding.at(node, WORDS, related=[Related(span_of(made), "between 0 and 1 from here on")])
    elif isinstance(name := plain(node.left), ast.Name):
        yield from of_batch(node, name, context)


def of_batch(node: ast.BinOp, name: ast.Name, context: Context) -> Findings:
    bindings = context.file.names.bindings(name)
    for loop in context.batches.loops:
        if not loop.names or loop.names[0] != name.id or context.file.enclosing(name, ast.For, ast.AsyncFor) is not loop.node:
            continue
        made = context.assigned(loop.loader.given.given.get("dataset"))
        from_loop = all(binding.kind == "for" or within(binding.node, node, context) for binding in bindings)
        if isinstance(made, ast.Call) and (context.name_of(made.func) or "").startswith("torchvision.datasets.") and from_loop:
            transform = context.assigned(next((word.value for word in made.keywords if word.arg == "transform"), None))
            if isinstance(transform, ast.Call) and is_scaling(transform, context):
                yield Finding.at(node, WORDS, related=[Related(span_of(transform), "its images are between 0 and 1")])


def within(target: ast.AST, node: ast.BinOp, context: Context) -> bool:
    """Whether a name is bound by the very statement that divides it: `images = images / 255`."""
    statement = context.file.enclosing(target, ast.Assign)
    return statement is not None and statement is context.file.enclosing(node, ast.Assign)


def plain(node: ast.expr) -> ast.expr:
    """What a value is before methods that leave its numbers alone: `images` of `images.to(device).float()`."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in KEEPING:
        node = node.func.value
    return node


def gives_scaled(call: ast.Call, context: Context) -> bool:
    """`ToTensor()(image)`, `to_tensor(image)`, and the call of a transform that ends with ToTensor."""
    if context.name_of(call.func) in FUNCTIONS:
        return True
    transform = context.assigned(call.func)
    return isinstance(transform, ast.Call) and is_scaling(transform, context)


def is_scaling(transform: ast.Call, context: Context) -> bool:
    """Whether a transform is ToTensor, or ends with it."""
    name = short(transform, context)
    if name == "Compose":
        given = arguments_of(context.file, transform, ("transforms",)).given.get("transforms")
        steps = given.elts if isinstance(given, (ast.List, ast.Tuple)) else []
        names = [short(step, context) if isinstance(step, ast.Call) else "" for step in steps]
        while names and names[-1] in NEUTRAL:
            names.pop()
        return bool(names) and names[-1] == "ToTensor"
    return name == "ToTensor"


def is_division(node: ast.expr, name: str) -> bool:
    left = plain(node.left) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and is_255(node.right) else None
    return isinstance(left, ast.Name) and left.id == name


def is_255(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not isinstance(node.value, bool) and node.value in (255, 256)


def short(node: ast.Call, context: Context) -> str:
    """The name of a transform of torchvision, without its module."""
    name = context.name_of(node.func) or ""
    place = next((place for place in TRANSFORMS if name.startswith(place)), None)
    return name.rpartition(".")[2] if place is not None else ""
