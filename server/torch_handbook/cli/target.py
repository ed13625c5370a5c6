"""The torch that checked files are for: found by looking at files alone, so that it costs next to nothing."""

from __future__ import annotations

import os
from pathlib import Path

from torch_handbook import interpreter
from torch_handbook.engine.target import Target
from torch_handbook.settings import Settings
from torch_handbook.source.torch_releases import is_told


def target_of(settings: Settings, python: str, root: Path) -> Target:
    """The installed torch, the lowest that the project allows, and what they deprecate."""
    option = str(Path(python).absolute()) if python and Path(python).exists() else python
    found = interpreter.find(settings.python, root, os.environ, option=option)
    version = found.torch_version if found and found.problem is None else None
    if found is None or version is None or is_told(version):
        return Target.of(version, settings.lowest_torch)
    from platformdirs import user_cache_path

    from torch_handbook.torchdocs.docs import TorchDocs

    docs = TorchDocs.open(found.torch_path, version, user_cache_path("torch-handbook", appauthor=False))
    return Target.of(version, settings.lowest_torch, docs.marks(make=True))
