"""Reading files: every legal encoding, notebooks, and what cannot be read is said."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from torch_handbook.cli import notebooks
from torch_handbook.cli.files import NOTEBOOK, STANDARD_INPUT, Plain, SourceFile
from torch_handbook.source.encoding import decode, encoding_of


def read(path: Path, standard_input: BinaryIO | None = None, name: str = "") -> SourceFile:
    """The text of a file in the encoding that it declares (a byte order mark, PEP 263, else UTF-8); never an exception."""
    shown = name or str(path)
    try:
        data = standard_input.read() if path == STANDARD_INPUT and standard_input else path.read_bytes()
        return notebooks.opened(shown, data) if shown.endswith(NOTEBOOK) else opened(shown, data)
    except OSError as error:
        return SourceFile(shown, problem=f"{shown} cannot be read: {error.strerror or error}")
    except (SyntaxError, LookupError, UnicodeDecodeError) as error:
        return SourceFile(shown, problem=f"{shown} cannot be read: {error}")


def opened(shown: str, data: bytes) -> SourceFile:
    """A Python file, its line ends kept. Raises SyntaxError, LookupError or UnicodeDecodeError."""
    return SourceFile(shown, decode(data), form=Plain(encoding_of(data)))


def readable(sources: Iterable[SourceFile]) -> Iterator[SourceFile]:
    """Those that could be read; the others are named on stderr and left out."""
    for source in sources:
        if source.problem is None:
            yield source
        else:
            print(f"torch-handbook: {source.problem}", file=sys.stderr)
