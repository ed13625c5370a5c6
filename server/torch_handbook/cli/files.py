"""Which files the command line looks at, and their text: folders are walked, every legal encoding is read."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from torch_handbook.source.encoding import decode

# Folders that hold other people's code, or none.
SKIPPED = frozenset({"node_modules", "build", "dist", "__pycache__", "site-packages", "venv", "env", "__pypackages__", "wheels"})


@dataclass(frozen=True)
class SourceFile:
    """A file that was read, or why it could not be."""

    path: str
    content: str = ""
    problem: str | None = None


class Misuse(Exception):
    """The command line asks for something that is not there."""


def python_files(paths: Iterable[Path]) -> list[Path]:
    """The files themselves, and the Python files below the folders, each once, in order. Raises Misuse for a missing path."""
    found: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            inside = list(walk(path))
            found.update(dict.fromkeys(inside))
            if not inside:
                print(f"torch-handbook: there are no Python files in {path}", file=sys.stderr)
        elif path.exists() or str(path) == "-":
            found[path] = None
        else:
            raise Misuse(f"there is no file or folder {path}")
    return list(found)


def walk(folder: Path) -> Iterator[Path]:
    """The Python files below a folder, without what is hidden, installed or built."""
    for place, folders, files in os.walk(folder):
        here = Path(place)
        folders[:] = sorted(name for name in folders if not is_skipped(here / name))
        for name in sorted(files):
            if name.endswith((".py", ".pyw")) and not name.startswith("."):
                yield here / name


def is_skipped(folder: Path) -> bool:
    return folder.name.startswith(".") or folder.name in SKIPPED or (folder / "pyvenv.cfg").exists()


def read(path: Path, standard_input: BinaryIO | None = None) -> SourceFile:
    """The text of a file in the encoding that it declares (a byte order mark, PEP 263, else UTF-8); never an exception."""
    try:
        data = standard_input.read() if str(path) == "-" and standard_input else path.read_bytes()
        return SourceFile(str(path), decode(data))
    except OSError as error:
        return SourceFile(str(path), problem=f"{path} cannot be read: {error.strerror or error}")
    except (SyntaxError, LookupError, UnicodeDecodeError) as error:
        return SourceFile(str(path), problem=f"{path} cannot be read: {error}")
