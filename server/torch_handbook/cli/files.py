"""The text of a file as it is checked, and how it lies on disk, so that it is written back as it was."""

from __future__ import annotations

import contextlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from torch_handbook.source.text import Text

STANDARD_INPUT = Path("-")
NOTEBOOK = ".ipynb"


class Misuse(Exception):
    """The command line asks for something that is not there."""


class Place(NamedTuple):
    """Where a line of the text is: in which cell of a notebook (from 1; None for a plain file), and its number there."""

    cell: int | None
    line: int


class Form(Protocol):
    """How a text lies on disk."""

    @property
    def is_script(self) -> bool:
        """Whether all of it must be Python."""
        ...

    def data(self, content: str) -> bytes:
        """The bytes of the file with another text."""
        ...

    def place(self, line: int, text: Text) -> Place:
        """Where a line of the text, as it is now, is, as a reader of the file counts."""
        ...


@dataclass(frozen=True)
class Plain:
    """A Python file: the text is the file, in its encoding."""

    encoding: str = "utf-8"
    is_script: bool = True

    def data(self, content: str) -> bytes:
        return content.encode(self.encoding)

    def place(self, line: int, text: Text) -> Place:
        return Place(None, line)


@dataclass(frozen=True)
class SourceFile:
    """A file that was read, or why it could not be. `path` is what a reader is told, and what the settings speak of."""

    path: str
    content: str = ""
    problem: str | None = None
    form: Form = Plain()


def write(path: Path, data: bytes) -> None:
    """Put a file in the place of another, whole or not at all, with the other's permissions. Raises OSError."""
    import tempfile  # which takes its time, and nothing is written as a rule

    target = path.resolve()  # a link stays one
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    fresh = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        fresh.chmod(stat.S_IMODE(target.stat().st_mode) if target.exists() else usual_mode())
        fresh.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise


def usual_mode() -> int:
    """The permissions of a new file. The mask can be read only by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
