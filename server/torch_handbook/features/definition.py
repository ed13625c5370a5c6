"""Where what stands at a position is defined: the source of the torch that the user has."""

from __future__ import annotations

from torch_handbook.features.naming import named_at
from torch_handbook.snapshot import Snapshot
from torch_handbook.source.text import Position
from torch_handbook.torchdocs.origin import Origin as Definition

__all__ = ["Definition", "definition"]


def definition(snapshot: Snapshot, position: Position) -> Definition | None:
    """The place in torch's files; of a keyword argument that of the function, and nothing for the reader's own names."""
    named = named_at(snapshot, position)
    if named is None or named.name is None or named.place.kind in ("definition", "string"):
        return None
    return snapshot.docs.origin(named.name) if named.name.split(".")[0] == "torch" else None
