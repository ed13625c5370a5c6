"""Snapshots for tests of features: a text, what is installed, and what the worker's interpreter says of it."""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path

from torch_handbook.engine.facts import Facts
from torch_handbook.handbook.handbook import Handbook
from torch_handbook.settings import Settings
from torch_handbook.snapshot import Snapshot
from torch_handbook.source.file import File
from torch_handbook.source.text import Position
from torch_handbook.torchdocs.docs import TorchDocs


@cache
def docs() -> TorchDocs:
    """The docs of the torch that is installed, found without importing it."""
    found = importlib.util.find_spec("torch")
    path = Path(found.origin).parent if found and found.origin else None
    return TorchDocs.open(path, None, Path("no such folder"))


@cache
def handbook() -> Handbook:
    return Handbook.open()


def snapshot(text: str, *, facts: bool = False, settings: Settings | None = None, torch: bool = True) -> Snapshot:
    file = File.read("/workspace/net.py", text)
    seen = interpreted(text) if facts else Facts.none()
    known = docs() if torch else TorchDocs.open(None, None, Path("no such folder"))
    return Snapshot(file, 1, seen, handbook(), known, settings or Settings(facts=facts), "file:///workspace/net.py")


@cache
def interpreted(text: str) -> Facts:
    from torch_handbook_worker.protocol import InterpretRequest
    from torch_handbook_worker.tensors.program import interpret

    return Facts(interpret(InterpretRequest("/workspace/net.py", text, [], seconds=60.0)))


def at(text: str) -> tuple[str, Position]:
    """A text with "|" where the cursor is: the text without it, and the place."""
    head, _, tail = text.partition("|")
    return head + tail, Position(head.count("\n") + 1, len(head[head.rfind("\n") + 1 :].encode()))
