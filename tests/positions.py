"""What stands at positions of packages that people use, judged by reading their code: `data/positions.tsv`.

The positions were drawn by chance, more of them where names are hard to tell, and each answer was checked against the code by
hand; "-" stands for what is none of torch's. The packages themselves are not kept here: `pip download --no-deps` them into a
folder and

    python tests/positions.py FOLDER

prints how many answers are right, wrong and missing, by the kind of position, and every one that is not right.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from zipfile import ZipFile

from torch_handbook.source.file import File
from torch_handbook.source.text import Position
from torch_handbook.workspace import Stamp, Workspace

ROOT = Path("/positions")  # where a package is taken to lie; nothing is written there
TABLE = Path(__file__).parent / "data" / "positions.tsv"


@dataclass(frozen=True, order=True)
class Row:
    """One position: lines count from 1, columns in UTF-8 bytes from 0. `name` is None for what is none of torch's."""

    package: str
    version: str
    path: str
    line: int
    column: int
    kind: str
    name: str | None


@dataclass(frozen=True)
class Answer:
    """What the file says of a position, with what it imports from its package."""

    row: Row
    name: str | None

    @property
    def verdict(self) -> str:
        if self.name == self.row.name:
            return "right"
        return "silent" if self.name is None else "wrong"


class Archive(Workspace):
    """The modules of a package that is not unpacked."""

    def __init__(self, archive: ZipFile) -> None:
        super().__init__((str(ROOT),))
        self.archive = archive
        self.sizes = {str(ROOT / item.filename): item.file_size for item in archive.infolist()}

    def stamp(self, path: str) -> Stamp | None:
        return (0, self.sizes[path]) if path in self.sizes else None

    def resolved(self, path: Path) -> Path:
        return path

    def is_file(self, path: Path) -> bool:
        return str(path) in self.sizes

    def text(self, path: str) -> str:
        return self.archive.read(Path(path).relative_to(ROOT).as_posix()).decode("utf-8", "replace")


def rows() -> list[Row]:
    lines = [line.split("\t") for line in TABLE.read_text("utf-8").splitlines() if not line.startswith("#")]
    return [Row(*line[:3], int(line[3]), int(line[4]), line[5], None if line[6] == "-" else line[6]) for line in lines]


def archives(folder: Path) -> dict[tuple[str, str], Path]:
    """The downloaded packages in a folder, by name and version."""
    return {(parts[0], parts[1]): path for path in folder.glob("*.whl") if len(parts := path.name.split("-")) > 2}


def answers(folder: Path) -> Iterator[Answer]:
    """The answers at all positions whose package is there."""
    there = archives(folder)
    for (package, version), found in groupby(sorted(rows(), key=repr), lambda row: (row.package, row.version)):
        if (package, version) not in there:
            continue
        with ZipFile(there[package, version]) as archive:
            package_files = Archive(archive)
            for path, places in groupby(found, lambda row: row.path):
                file = File.read(str(ROOT / path), archive.read(path).decode("utf-8", "replace"), None, package_files)
                yield from (Answer(row, name_at(file, row)) for row in places)


def name_at(file: File, row: Row) -> str | None:
    """The public name, for a keyword with the parameter behind "#"."""
    place = file.place_at(Position(row.line, row.column))
    name = place.name if place else None
    if place is None or name is None or name.split(".")[0] != "torch":
        return None
    return f"{name}#{place.keyword}" if place.kind in ("keyword", "string") and place.keyword else name


def report(found: list[Answer]) -> str:
    lines: list[str] = []
    for kind in [*sorted({answer.row.kind for answer in found}), "all"]:
        verdicts = [answer.verdict for answer in found if kind in (answer.row.kind, "all")]
        counts = [verdicts.count(word) for word in ("right", "wrong", "silent")]
        lines.append(f"{kind:11} {len(verdicts):4} positions: {counts[0]} right, {counts[1]} wrong, {counts[2]} silent")
    for answer in found:
        row = answer.row
        if answer.verdict != "right":
            where = f"{row.package} {row.path}:{row.line}:{row.column}"
            lines.append(f"{answer.verdict}: {where} is {row.name}, the answer is {answer.name}")
    return "\n".join(lines)


if __name__ == "__main__":
    print(report(list(answers(Path(sys.argv[1])))))
