"""What is known of torch without torch: which members its classes have, and what its functions return."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

# The class whose page documents a member: the nearest one in this list that a class is, or derives from.
BASES = (
    ("torch.nn.parameter.", "torch.Tensor"),
    ("torch.nn.Parameter", "torch.Tensor"),
    ("torch.nn.Buffer", "torch.Tensor"),
    ("torch.autograd.Variable", "torch.Tensor"),
    ("torch.optim.lr_scheduler.", "torch.optim.lr_scheduler.LRScheduler"),
    ("torch.optim.swa_utils.SWALR", "torch.optim.lr_scheduler.LRScheduler"),
    ("torch.optim.swa_utils.AveragedModel", "torch.nn.Module"),
    ("torch.cuda.amp.GradScaler", "torch.amp.GradScaler"),
    ("torch.autograd.Function", "torch.autograd.Function"),
)
CALLABLE_MODULES = ("torch.nn.utils.parametrizations", "torch.ao.nn", "torch.nn.quantized", "torch.nn.intrinsic", "torch.nn.qat")


def words(text: str) -> frozenset[str]:
    """The words of a text, for lists of names that read better without quotes."""
    return frozenset(text.split())


@cache
def table() -> dict[str, dict[str, dict[str, str]]]:
    found: dict[str, dict[str, dict[str, str]]] = json.loads(Path(__file__).with_name("torch_names.json").read_text("utf-8"))
    return found


@cache
def members(owner: str) -> frozenset[str]:
    """The public members of a class, or of `torch.nn` its classes; empty where that is not known."""
    listed: object = table()["members"].get(owner, "")
    return frozenset(str(listed).split())


@cache
def returns(owner: str) -> dict[str, str]:
    """What the functions of a module or the members of a class give: "tensor", "tensors", "2" (tensors), "int", …"""
    return {name: word for word, owners in table()["returns"].items() for name in owners.get(owner, "").split()}


@cache
def base_of(name: str) -> str | None:
    """The documented class that holds the members of a torch class: "torch.nn.Module" for "torch.nn.Conv2d"."""
    for start, base in BASES:
        if name == start or name.startswith(start if start.endswith(".") else f"{start}."):
            return base
    owner, _, last = name.rpartition(".")
    if members(name):
        return name
    if not last[:1].isupper():
        return None
    if (owner == "torch.nn" and last in members("torch.nn")) or owner.startswith(CALLABLE_MODULES):
        return "torch.nn.Module"
    if name in ("torch.nn.parallel.DistributedDataParallel", "torch.nn.DataParallel"):
        return "torch.nn.Module"
    if owner == "torch.optim" and last != "Optimizer":
        return "torch.optim.Optimizer"
    return "torch.Tensor" if owner in ("torch", "torch.cuda") and last.endswith("Tensor") else None


def has_star(module: str, name: str) -> bool:
    """Whether `from module import *` of a torch module surely brings this name."""
    if module in ("torch.nn", "torch.nn.modules"):
        return name in members("torch.nn")
    return name in returns(module) or (module == "torch" and name in ("Tensor", "nn", "optim", "float32", "device"))
