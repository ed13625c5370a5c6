"""The modules of a workspace: which files its imports mean, read when they are asked for, and kept while they are the same."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from torch_handbook.source.encoding import decode
from torch_handbook.source.file import File
from torch_handbook.source.imports import Search

LARGEST = 400_000  # bytes of a file that is read
KEPT = 500_000  # characters whose trees are kept: a tree takes some forty times as much memory
FRESH = 2.0  # seconds for which a file is taken to be as it was
Stamp = tuple[int, int]  # the last is the size


@dataclass
class Known:
    """A file that was looked at: its state then, and when that was."""

    stamp: Stamp | None
    looked: float
    file: File | None = None


@dataclass(eq=False)
class Workspace:
    """Finds and reads modules below its folders, and those of the package that the asking file is in; nothing else.

    `opened` gives the text that an editor has open at a path, which counts before the one on the disk. Files whose path is
    not absolute lie below `base`; without one they have no others around them, like what an editor has not saved yet.
    """

    folders: tuple[str, ...] = ()
    opened: Callable[[str], str | None] = lambda path: None
    base: Path | None = None
    kept: int = KEPT
    search: Search = field(default_factory=Search)
    known: dict[str, Known] = field(default_factory=dict[str, Known])
    homes: dict[Path, Path | None] = field(default_factory=dict[Path, "Path | None"])
    lookup: dict[Path, tuple[tuple[Path, str], ...]] = field(default_factory=dict[Path, "tuple[tuple[Path, str], ...]"])

    def __post_init__(self) -> None:
        self.roots = [self.resolved(Path(folder)) for folder in self.folders]

    def find(self, path: str, level: int, name: str) -> File | None:
        """The module that an import in the file at a path means; level is the number of dots before the name."""
        with self.search.lock:
            for base in self.bases(path, level, name):
                for place in (base / "__init__.py", base.with_name(f"{base.name}.py")) if name else (base / "__init__.py",):
                    if found := self.file(str(place)):
                        return found
        return None

    def bases(self, path: str, level: int, name: str) -> list[Path]:
        """Where a module may lie, without its ending."""
        here = self.home(Path(path).parent)
        if here is None:
            return []
        parts = name.split(".") if name else []
        if level:
            package = self.package(here)
            above = [here, *here.parents][level - 1 : level]
            inside = above and (self.is_inside(above[0]) or above[0] == package or package in above[0].parents)
            return [above[0].joinpath(*parts)] if inside else []
        if not parts or parts[0] in sys.stdlib_module_names:
            return []
        return [folder.joinpath(*parts) for folder, only in self.starts(here) if only in ("", parts[0])]

    def home(self, folder: Path) -> Path | None:
        """The folder that a file is in, by its real name."""
        if folder not in self.homes:
            known = folder.is_absolute() or self.base
            self.homes[folder] = self.resolved((self.base or folder) / folder) if known else None
        return self.homes[folder]

    def starts(self, here: Path) -> tuple[tuple[Path, str], ...]:
        """The folders that absolute imports in a folder start from, each with the one package it is for, or ""."""
        if here not in self.lookup:
            package = self.package(here)
            found = [] if self.is_file(here / "__init__.py") else [(here, "")]
            if package != here or not found:  # a package is found beside itself, and so are the others of its workspace
                found.append((package.parent, "" if self.is_inside(package.parent) else package.name))
            for root in self.roots:
                found += [(root, ""), (root / "src", "")]
                found += [(between, "") for between in package.parents if root in between.parents]
            self.lookup[here] = tuple(dict.fromkeys(found))
        return self.lookup[here]

    def package(self, folder: Path) -> Path:
        """The outermost folder around that is a package; the folder itself where it is in none."""
        top = folder
        for around in [folder, *folder.parents]:
            if not self.is_file(around / "__init__.py"):
                break
            top = around
        return top

    def is_inside(self, folder: Path) -> bool:
        return any(root == folder or root in folder.parents for root in self.roots)

    def file(self, path: str) -> File | None:
        """The file at a path, parsed; None where there is none that can be read."""
        known, now = self.known.pop(path, None), time.monotonic()
        if known:
            self.known[path] = known  # the one that was asked for last is the last to go
            if now - known.looked < FRESH:
                return known.file
        stamp = self.stamp(path)
        if known and known.stamp == stamp:
            known.looked = now
            return known.file
        if known:
            self.forget(path)
        made = Known(stamp, now)
        if stamp and stamp[1] <= LARGEST and (text := self.text(path)) is not None:
            self.make_room(len(text))
            made.file = File.read(path, text, None, self)
        self.known[path] = made
        return made.file

    def make_room(self, size: int) -> None:
        """Let go of the trees that were not asked for the longest, until another one fits."""
        held = [(path, len(known.file.text.content)) for path, known in self.known.items() if known.file]
        total = sum(length for _, length in held) + size
        for path, length in held:
            if total <= self.kept:
                break
            total -= length
            del self.known[path]

    def forget(self, path: str) -> set[str]:
        """A file has changed: what others took from it is no longer known. The paths of all of these."""
        affected = {path}
        waiting = [path]
        while waiting:
            changed = waiting.pop()
            for other, known in self.known.items():
                if known.file and other not in affected and changed in known.file.imports.paths:
                    affected.add(other)
                    waiting.append(other)
        self.known.pop(path, None)
        for other in affected - {path}:
            if file := self.known[other].file:
                self.known[other].file = file.afresh()
        return affected

    def has_moved_on(self, file: File) -> bool:
        """Whether what a file took from others may not be so any more."""
        with self.search.lock:
            return any(made is not None and self.file(made.path) is not made for made in file.imports.modules.values())

    # The files themselves

    def stamp(self, path: str) -> Stamp | None:
        """What changes when a file does, and how long it is; None where there is none."""
        opened = self.opened(path)
        if opened is not None:
            return hash(opened), len(opened)
        try:
            state = Path(path).stat()
        except (OSError, ValueError):
            return None
        return state.st_mtime_ns, state.st_size

    def resolved(self, path: Path) -> Path:
        try:
            return path.resolve()
        except (OSError, RuntimeError):
            return path

    def is_file(self, path: Path) -> bool:
        return path.is_file()

    def text(self, path: str) -> str | None:
        try:
            return self.opened(path) or (decode(Path(path).read_bytes()) if Path(path).is_file() else None)  # a pipe has no end
        except (OSError, SyntaxError, LookupError, UnicodeDecodeError):
            return None
