"""Public names of torch's own functions and classes, and which of the world's names may be used at all."""

from __future__ import annotations

import importlib
import sys
import types
from typing import Any, Dict, List, Optional

import torch
from torch._subclasses.fake_tensor import unset_fake_temporarily

from torch_handbook_worker.tensors.values import words

PUBLIC = (
    "torch", "torch.nn", "torch.nn.functional", "torch.linalg", "torch.fft", "torch.special", "torch.nn.init", "torch.optim",
    "torch.optim.lr_scheduler", "torch.utils.data", "torch.autograd", "torch.nn.utils", "torch.nn.utils.rnn",
    "torch.distributions",
    "torch.autograd.functional", "torch.func", "torch.utils.checkpoint", "torch.nn.parallel",
)  # fmt: skip

# Modules whose functions may be called with the values that were found: they compute, and touch nothing outside.
PURE = words(
    "math cmath itertools functools collections operator dataclasses typing typing_extensions enum copy numbers string abc "
    "types contextlib re heapq bisect __future__ collections.abc warnings"
)
# Parts of torch that reach outside the process, change it, or need data.
CLOSED = (
    "torch.hub", "torch.jit", "torch.onnx", "torch.multiprocessing", "torch.distributed", "torch.utils.cpp_extension",
    "torch.utils.tensorboard", "torch.profiler", "torch.utils.bottleneck", "torch.library", "torch.ops", "torch.classes",
    "torch.package", "torch.export", "torch._dynamo", "torch._inductor", "torch.backends", "torch.cuda", "torch.mps", "torch.xpu",
    "torch.monitor", "torch.futures", "torch.storage", "torch.serialization", "torch.utils.model_zoo", "torch.utils.collect_env",
    "torch.testing", "torch.fx", "torch.compiler", "torch.accelerator", "torch.utils.dlpack",
)  # fmt: skip
OUTSIDE = words("os sys subprocess shutil posix io socket")
CLOSED_HOMES = (
    "torch.autograd.profiler", "torch.profiler", "torch.hub", "torch.onnx", "torch.multiprocessing", "torch.distributed",
    "torch.utils.cpp_extension", "torch.utils.tensorboard", "torch.fx", "torch.export", "torch.package", "torch.testing",
)  # fmt: skip
DUNDERS = words(
    "__class__ __name__ __init__ __call__ __len__ __getitem__ __setitem__ __doc__ __iter__ __next__ __enter__ __exit__ "
    "__dict__ __qualname__ __repr__ __str__ __eq__ __hash__ __contains__ __post_init__ __add__ __mul__ __radd__ __new__ "
    "__version__ __getattr__ __setattr__ __annotations__ __members__ __module__"
)
_names: Dict[int, str] = {}
allowed: List[str] = []  # the libraries that may be imported for the file that is walked


def _collect() -> None:
    for module_name in PUBLIC:
        try:
            module = importlib.import_module(module_name)
        except ImportError:
            continue
        for name in dir(module):
            value = getattr(module, name, None)
            if not name.startswith("_") and callable(value):
                _names.setdefault(id(value), f"{module_name}.{name}")


def public_name(value: Any) -> Optional[str]:
    """The public name of one of torch's functions, methods or classes: "torch.matmul", "torch.Tensor.add_"."""
    if not _names:
        _collect()
    found = _names.get(id(value))
    if found is not None:
        return found
    owner = getattr(value, "__self__", None)
    name = getattr(value, "__name__", None)
    if isinstance(owner, torch.Tensor) and name:
        return f"torch.Tensor.{name}"
    if isinstance(owner, torch.nn.Module) and name:
        return f"{public_type(type(owner))}.{name}"
    if getattr(value, "__objclass__", None) is torch._C.TensorBase and name:
        return f"torch.Tensor.{name}"
    return None


def public_type(kind: type) -> str:
    """The public name of a class; a user's own class is named as the user did."""
    if not _names:
        _collect()
    if kind.__module__.split(".")[0] != "torch":
        return kind.__name__
    return _names.get(id(kind)) or (
        f"torch.{kind.__name__}" if hasattr(torch, kind.__name__) else f"{kind.__module__}.{kind.__name__}"
    )


def module_named(name: str) -> Optional[Any]:
    """A module of torch, of a library that may be imported, or of the part of the standard library that only computes."""
    if name not in PURE and not is_open(name):
        return None
    if name in sys.modules:
        return sys.modules[name]
    try:
        with unset_fake_temporarily():  # what a library keeps for later files is real
            return importlib.import_module(name)
    except Exception:
        return None


def is_open(name: str) -> bool:
    """Whether a module of torch may be used."""
    if name.split(".")[0] not in ("torch", *allowed):
        return False
    if any(part.startswith("_") for part in name.split(".")):
        return False
    return not any(name == closed or name.startswith(closed + ".") for closed in CLOSED)


def attribute_is_open(owner: Any, name: str, value: Any) -> bool:
    """Whether the attribute `name` of a module may be seen, as far as the value that it has."""
    if isinstance(value, types.ModuleType):
        return "handbook_stand_in" in vars(value) or value.__name__ in PURE or is_open(value.__name__)
    if isinstance(owner, types.ModuleType) and name.startswith("_") and not name.startswith("__"):
        return False
    home = getattr(value, "__module__", None)
    if isinstance(home, str) and any(home == part or home.startswith(part + ".") for part in CLOSED_HOMES):
        return False
    return not (isinstance(home, str) and callable(value) and home.split(".")[0] in OUTSIDE)
