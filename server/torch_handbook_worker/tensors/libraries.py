"""Stand-ins for libraries that are not imported: what they do to sizes and types is written here."""

from __future__ import annotations

import types
from typing import Any, Dict

from torch_handbook_worker.tensors import einops_calls, numpy_calls, options, vision_datasets, vision_transforms
from torch_handbook_worker.tensors.names import module_named
from torch_handbook_worker.tensors.values import Unknown


def _module(name: str, members: Dict[str, Any]) -> types.ModuleType:
    module: Any = types.ModuleType(name)
    module.handbook_stand_in = True
    vars(module).update(members)
    module.__getattr__ = lambda part: _other(name, part)
    return module


def _other(name: str, part: str) -> Any:
    """What has no stand-in: the library's own where that may be imported."""
    found = module_named(f"{name}.{part}")
    return Unknown(name=part) if found is None else found


def _vision() -> Dict[str, types.ModuleType]:
    functional = _module(
        "torchvision.transforms.functional", {name: vision_transforms.function(name) for name in vision_transforms.FUNCTIONS}
    )
    newer = _module("torchvision.transforms.v2", {**vision_transforms.NEWER, "functional": functional})
    transforms = _module(
        "torchvision.transforms",
        {**vision_transforms.CLASSES, "functional": functional, "v2": newer, "transforms": None},
    )
    transforms.transforms = transforms  # type: ignore[attr-defined]
    datasets = _module("torchvision.datasets", dict(vision_datasets.CLASSES))
    whole = _module("torchvision", {"transforms": transforms, "datasets": datasets})
    made = (whole, datasets, transforms, newer, functional)
    return {module.__name__: module for module in made} | {"torchvision.transforms.v2.functional": functional}


def _numpy() -> Dict[str, types.ModuleType]:
    draws = _module("numpy.random", numpy_calls.DRAWS)
    return {"numpy": _module("numpy", {**numpy_calls.MEMBERS, "random": draws}), "numpy.random": draws}


MODULES: Dict[str, types.ModuleType] = {
    **{name: _module(name, einops_calls.MEMBERS) for name in ("einops", "einops.layers.torch")},
    **_vision(),
    **_numpy(),
    "argparse": _module("argparse", options.MEMBERS),
}
