"""Modules that are imported with the first use of them, so that the first answer does not wait for all that it does not need."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Later:
    """Stands for a module of ours. Python's own LazyLoader is not safe where two threads come first."""

    def __init__(self, name: str) -> None:
        self._name = f"torch_handbook.{name}"

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)
