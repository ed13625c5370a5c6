"""A model of torchvision is asked for by pretrained=True.

Why
    torchvision 0.13 put weights in the place of pretrained: there may be several, and pretrained=True stands for the first of
    them, which need not be the best. It still works, with a warning. weights takes a name, or None for none.

Bad
    import torchvision
    model = torchvision.models.resnet50(pretrained=True)

Good
    import torchvision
    model = torchvision.models.resnet50(weights="IMAGENET1K_V1")
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.guards import is_guarded
from torch_handbook.source.text import Span, span_of
from torch_handbook.source.torchvision_weights import NAMED

RULE = Rule("torchvision-pretrained", Severity.WARNING, Category.DEPRECATION, entry="guides/deprecations-of-friends")
ROOT = "torchvision.models."
OLD = ("pretrained", "pretrained_backbone")


def model_of(name: str | None) -> str | None:
    """The model that a name stands for, below torchvision.models: "resnet50", "detection.ssd300_vgg16"."""
    if not name or not name.startswith(ROOT):
        return None
    path = name.removeprefix(ROOT).split(".")
    for known in (".".join(path), path[-1], ".".join((path[0], path[-1]))):
        if (known, "pretrained") in NAMED:
            return known
    return None


@RULE.on(ast.Call)
def pretrained(call: ast.Call, context: Context) -> Findings:
    model = model_of(context.name_of(call.func))
    if model is None or is_guarded(context.file, call):
        return
    given: list[tuple[ast.expr | ast.keyword, str, ast.expr]] = [
        (word, word.arg, word.value) for word in call.keywords if word.arg in OLD
    ]
    if call.args and not isinstance(call.args[0], ast.Starred):
        given.append((call.args[0], "pretrained", call.args[0]))
    taken = {word.arg for word in call.keywords}
    for place, old, value in given:
        new = old.replace("pretrained", "weights")
        constant = value.value if isinstance(value, ast.Constant) and isinstance(value.value, bool) else None
        if isinstance(place, ast.expr) and constant is None:
            continue  # what is handed over by place may be weights already
        named = {True: f'"{NAMED.get((model, old))}"', False: "None"}.get(constant) if constant is not None else None
        fix = Fix(f"use {new}", (Edit(span_of(place), f"{new}={named}"),)) if named and new not in taken else None
        advice = f"use {new}={named}" if named else f"use {new}, which takes a name or None"
        yield Finding.at(place, f"{old} is deprecated since torchvision 0.13: {advice}", fix=fix)


@RULE.on(ast.Attribute, ast.ImportFrom)
def to_tensor(node: ast.Attribute | ast.ImportFrom, context: Context) -> Findings:
    """v2.ToTensor, which only the transforms of the first version have without a warning."""
    if isinstance(node, ast.Attribute):
        if node.attr != "ToTensor" or context.name_of(node) != "torchvision.transforms.v2.ToTensor":
            return
        places: list[ast.AST] = [node]
    else:
        places = [alias for alias in node.names if node.module == "torchvision.transforms.v2" and alias.name == "ToTensor"]
    for place in places:
        words = "v2.ToTensor is deprecated: use v2.Compose([v2.ToImage(), v2.ToDtype(torch.float32, scale=True)])"
        start = Span(*span_of(place))
        yield Finding.at(start, words, severity=Severity.INFORMATION)
