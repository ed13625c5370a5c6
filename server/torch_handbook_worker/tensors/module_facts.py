"""What is told of a module: its words, its parameters, the modules inside it, and what several of one class have in common."""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, List, Optional, Set

from torch import nn

from torch_handbook_worker.protocol import ModuleFact, Size
from torch_handbook_worker.tensors.members import layers
from torch_handbook_worker.tensors.names import public_type
from torch_handbook_worker.tensors.sizes import FREE

PARTS = 120  # of one module, the nearest first


def text_of(module: Any) -> str:
    """A module as its own class prints it, short."""
    if "_modules" not in module.__dict__:
        return type(module).__name__
    if module._modules:
        return type(module).__name__ if len(module._modules) > 8 else f"{type(module).__name__}({', '.join(module._modules)})"
    if not type(module).__module__.startswith("torch."):
        return type(module).__name__  # its own `__repr__` would have to be walked
    try:
        return str(module)[:200]
    except Exception:
        return type(module).__name__


UNMADE: Any = vars(nn.parameter)["UninitializedTensorMixin"]  # older releases take every parameter for an UninitializedParameter


def count_parameters(module: Any) -> Optional[int]:
    """How many numbers a module learns; None where that depends on free sizes, or its `__init__` did not come to an end."""
    counts = _counts(module)
    return None if counts is None or None in counts else sum(filter(None, counts))


def weight_of(module: Any) -> int:
    """How many numbers a module learns as far as that is known."""
    return sum(filter(None, _counts(module) or ()))


def _counts(module: Any) -> Optional[List[Optional[int]]]:
    if "_parameters" not in module.__dict__:
        return None
    seen: Set[int] = set()
    counts: List[Optional[int]] = []
    for layer in layers(module):
        for one in layer.__dict__.get("_parameters", {}).values():
            if one is not None and id(one) not in seen:
                seen.add(id(one))
                count = None if isinstance(one, UNMADE) else one.numel()
                counts.append(count if isinstance(count, int) else None)
    return counts


def is_of_file(kind: Any, path: str) -> bool:
    """Whether a class is written in a file."""
    places = (getattr(getattr(value, "source", None), "path", None) for value in vars(kind).values())
    return next((str(place) == path for place in places if place), False)


def parts(module: Any) -> Dict[str, str]:
    """The classes of the modules inside a module, by the names that lead there; the nearest come first, and each once."""
    found: Dict[str, str] = {}
    level, seen = [("", module)], {id(module)}
    while level and len(found) < PARTS:
        below: List[Any] = []
        for path, owner in level:
            for name, child in list(owner.__dict__.get("_modules", {}).items()):
                if child is not None and id(child) not in seen:
                    seen.add(id(child))
                    below.append((f"{path}{name}", child))
        found.update({path: public_type(type(child)) for path, child in below[: PARTS - len(found)]})
        level = [(f"{path}.", child) for path, child in below]
    return found


def common(facts: List[ModuleFact]) -> Optional[ModuleFact]:
    """What modules have in common that one place saw; None where they are not of one class."""
    first = facts[0]
    for fact in facts[1:]:
        if fact.type != first.type:
            return None
        first = dataclasses.replace(
            first,
            parameters=first.parameters if first.parameters == fact.parameters else None,
            text=first.text if first.text == fact.text else "",
            input=_common_sizes(first.input, fact.input),
            output=_common_sizes(first.output, fact.output),
            parts={path: kind for path, kind in first.parts.items() if fact.parts.get(path) == kind},
        )
    return first


def _common_sizes(one: Optional[List[Size]], other: Optional[List[Size]]) -> Optional[List[Size]]:
    if one is None or other is None or len(one) != len(other):
        return None
    return [size if size == same else FREE for size, same in zip(one, other)]
