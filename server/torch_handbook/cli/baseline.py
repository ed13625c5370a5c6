"""The baseline: a file with what was found before, so that an old project starts clean; only what is new is reported."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torch_handbook.cli.discovery import absolute
from torch_handbook.cli.files import Misuse, write
from torch_handbook.engine.baseline import Known, read

ABOUT = "What torch-handbook found when this was written: `torch-handbook check --write-baseline` writes it again."


@dataclass(frozen=True)
class Baseline:
    """The known findings of each file, by its path from the folder that the baseline lies in."""

    path: Path
    files: Mapping[str, Known] = field(default_factory=dict[str, Known])

    @staticmethod
    def read(path: Path) -> Baseline:
        """Raises Misuse for a file that is not there or not one of ours."""
        try:
            files = read(path.read_text("utf-8"))
        except OSError as error:
            raise Misuse(f"the baseline {path} cannot be read: {error.strerror or error}") from error
        except ValueError as error:
            raise Misuse(f"{path} is not a baseline; `torch-handbook check --write-baseline {path}` writes one") from error
        return Baseline(path, files)

    def name_of(self, path: str) -> str:
        """A file's path from the folder of the baseline, the same on every system."""
        return Path(os.path.relpath(absolute(Path(path)), absolute(self.path).parent)).as_posix()

    def known(self, path: str) -> Known:
        return self.files.get(self.name_of(path), {})

    def stale(self, path: str, again: Known, looked: frozenset[str]) -> int:
        """How many of a file's entries were looked for and not found any more."""
        gone = Counter(dict(self.known(path))) - Counter(dict(again))
        return sum(count for (name, _), count in gone.items() if name in looked)

    def lost(self) -> int:
        """How many entries are about files that there are no more."""
        folder = absolute(self.path).parent
        return sum(sum(known.values()) for name, known in self.files.items() if not (folder / name).exists())

    def without_lost(self) -> Baseline:
        folder = absolute(self.path).parent
        return Baseline(self.path, {name: known for name, known in self.files.items() if (folder / name).exists()})

    def with_file(self, path: str, found: Known, looked: frozenset[str]) -> Baseline:
        """The same with what was found now in a file; what was not looked for stays."""
        kept = {entry: count for entry, count in self.known(path).items() if entry[0] not in looked}
        files = {**self.files, self.name_of(path): {**kept, **found}}
        return Baseline(self.path, {name: known for name, known in files.items() if known})

    def save(self) -> None:
        """Raises Misuse where it cannot be written. One line an entry, sorted, so that its changes read well."""
        files = {name: rows_of(known) for name, known in sorted(self.files.items())}
        text = json.dumps({"about": ABOUT, "files": files}, indent=1, ensure_ascii=False)
        try:
            write(self.path, f"{text}\n".encode())
        except OSError as error:
            raise Misuse(f"the baseline {self.path} cannot be written: {error.strerror or error}") from error


def rows_of(known: Known) -> list[dict[str, Any]]:
    return [
        {"rule": name, "line": line, **({"count": count} if count > 1 else {})} for (name, line), count in sorted(known.items())
    ]
