"""The parameters and buffers of a module, read without calling any method that a user's class may have replaced."""

from __future__ import annotations

from typing import Any, Iterator, List, Set


def layers(module: Any) -> Iterator[Any]:
    """The module and all modules inside it, each once."""
    stack: List[Any] = [module]
    seen: Set[int] = set()
    while stack:
        found = stack.pop()
        if found is None or id(found) in seen:
            continue
        seen.add(id(found))
        yield found
        inside = found.__dict__.get("_modules")
        if inside:
            stack.extend(reversed(list(inside.values())))


def parameters(module: Any) -> Iterator[Any]:
    """All parameters, each once."""
    return _tensors(module, ("_parameters",))


def tensors(module: Any) -> Iterator[Any]:
    """All parameters and buffers, each once."""
    return _tensors(module, ("_parameters", "_buffers"))


def _tensors(module: Any, registries: Any) -> Iterator[Any]:
    seen: Set[int] = set()
    for layer in layers(module):
        for registry in registries:
            own = layer.__dict__.get(registry)
            for value in list(own.values()) if own else ():
                if value is not None and id(value) not in seen:
                    seen.add(id(value))
                    yield value
