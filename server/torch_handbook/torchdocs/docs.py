"""Signatures and docstrings of the installed torch, by public name, read from its files and never imported."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from torch_handbook.torchdocs import cache
from torch_handbook.torchdocs.doc import Doc, Outline, Parameter

if TYPE_CHECKING:  # what reads torch's files is not needed where the cache file says it all
    from torch_handbook.torchdocs.describe import Describer
    from torch_handbook.torchdocs.origin import Origin

__all__ = ["Doc", "Outline", "Parameter", "TorchDocs"]


class TorchDocs:
    """What one torch says of itself.

    A name is answered from the cache file of that torch, and without one from the files at once: some milliseconds, a
    quarter of a second for the first builtin. `build` writes the cache file; it takes seconds and is for the background.
    """

    def __init__(self, root: Path | None, version: str | None, store: cache.Store | None) -> None:
        self.root = root
        self.version = version
        self._store = store
        self._known: dict[str, Doc | None] = {}
        self._members: dict[str, list[str]] = {}
        self._marks: list[list[str]] | None = None

    @staticmethod
    def open(torch_path: Path | None, version: str | None, cache_folder: Path) -> TorchDocs:
        """The docs of the torch in a folder; None: nothing is installed and every answer is empty."""
        if torch_path is None or not torch_path.is_dir():
            return TorchDocs(None, None, None)
        return TorchDocs(torch_path, version, cache.Store(cache_folder, torch_path, version))

    @cached_property
    def _describer(self) -> Describer | None:
        from torch_handbook.torchdocs.describe import Describer
        from torch_handbook.torchdocs.library import Library

        return Describer(Library(self.root)) if self.root else None

    def doc(self, name: str) -> Doc | None:
        """What is said of a public name: "torch.nn.Conv2d", "torch.Tensor.view"."""
        if name not in self._known:
            stored = self._store.doc(name) if self._store else None
            self._known[name] = stored or (self._describer.describe(name) if self._describer else None)
        return self._known[name]

    def outline(self, name: str) -> Outline | None:
        """What a list shows of a public name, where that costs nothing: a list has a thousand of them."""
        if (doc := self._known.get(name)) is not None:
            return Outline(doc.kind, doc.deprecated is not None, doc.signature)
        return self._store.outline(name) if self._store else None

    def members(self, name: str) -> list[str]:
        """The public names below a module or class, for completion, sorted."""
        if name not in self._members:
            stored = self._store.members(name) if self._store else None
            self._members[name] = self._listed(name) if stored is None else stored
        return self._members[name]

    def _listed(self, name: str) -> list[str]:
        from torch_handbook.torchdocs import listing

        return listing.members(self._describer.library, name) if self._describer else []

    def origin(self, name: str) -> Origin | None:
        """Where in torch's files a public name is defined."""
        from torch_handbook.torchdocs.origin import origin

        return origin(self._describer.library, name) if self._describer else None

    def marks(self, make: bool = False) -> list[list[str]] | None:
        """What this torch calls deprecated, as rows of a table; `make` reads all of its files where that was not done yet."""
        if self._marks is None and self._store:
            self._marks = self._store.marks()
            if self._marks is None and make and self.root:
                from torch_handbook.torchdocs import marks

                self._marks = [[*row] for row in marks.rows(self.root)]
                self._store.write_marks(self._marks)
        return self._marks

    def build(self) -> None:
        """Write the cache file, unless it is there and fresh."""
        from torch_handbook.torchdocs import listing

        if self._store and self._describer and not self._store.is_fresh:
            docs = {name: doc for name in listing.everything(self._describer.library) if (doc := self.doc(name))}
            self._store.write(docs, {owner: self.members(owner) for owner in listing.OWNERS})
