"""`make bench`: measure the server beside one that answers constants, and `check`, in one run; print whether all bars hold."""

from __future__ import annotations

import argparse
import ast
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median

from speed import checking
from speed.editing import Round, measured, rechecked
from speed.hints import Edited, hint_rows, shown
from speed.table import Row, drawn, editing_rows

HERE = Path(__file__).parent
OURS = (sys.executable, "-m", "torch_handbook", "serve")
BARE = (sys.executable, str(HERE / "bare.py"))
SHORT = 1000  # lines
LONG = 5300
PACKAGE_LINES = 136_000
WRITE = """
import sys
from pathlib import Path
from torch_handbook.interpreter import find
from torch_handbook.knowledge import CACHE
from torch_handbook.torchdocs.docs import TorchDocs
import os
found = find("", None, os.environ)
TorchDocs.open(found.torch_path, found.torch_version, CACHE).build()
"""


def main() -> int:
    options = parser().parse_args()
    torch = torch_folder()
    file = options.file or torch / "nn" / "functional.py"
    package = options.package or torch / "distributed"
    print(
        f"Python {platform.python_version()}, {os.cpu_count()} cores, load {load()}, {options.rounds} rounds, medians", flush=True
    )
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        environment = {**os.environ, "VIRTUAL_ENV": sys.prefix, "XDG_CACHE_HOME": str(place / "cache")}
        # Installed packages have their bytecode; a checkout whose environment forbids it would be compiled at each start.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        environment["PYTHONPYCACHEPREFIX"] = str(place / "bytecode")
        rows = [*edited(place, file, environment, options.rounds), *checked(place, file, package, environment, options.rounds)]
    print(f"load at the end {load()}\n\n{drawn(rows)}")
    return 0 if all(row.holds for row in rows) else 1


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser("make bench", description=__doc__)
    found.add_argument("--rounds", type=int, default=5)
    found.add_argument("--file", type=Path, help="the long file; by default torch/nn/functional.py")
    found.add_argument("--package", type=Path, help="the package to check; by default torch/distributed")
    return found


def edited(place: Path, long: Path, environment: Mapping[str, str], rounds: int) -> Iterator[Row]:
    """Both servers on the short and the long file, one after the other in each round, with torch's docs in the cache."""
    subprocess.run([sys.executable, "-c", WRITE], env=environment, check=True)
    files = [copied(place / "short", HERE / "script.py"), copied(place / "long", long)]
    texts = {file: file.read_text("utf-8") for file in files}
    for command in (BARE, OURS):
        measured(command, environment, files[0], texts[files[0]])  # writes the bytecode
    found: dict[tuple[str, Path], list[Round]] = {}
    without: list[Round] = []
    for turn in range(rounds):
        for file in files:
            for name, command in (("bare", BARE), ("ours", OURS)):
                found.setdefault((name, file), []).append(measured(command, environment, file, texts[file]))
        fresh = {**environment, "XDG_CACHE_HOME": str(place / f"cache-{turn}")}
        without.append(measured(OURS, fresh, files[0], texts[files[0]]))
    for file in files:
        where = f"{texts[file].count(chr(10)):,} lines"
        yield from editing_rows(where, found["ours", file], found["bare", file])
    yield Row("start to first hover, nothing cached yet", median(one.first for one in without), None, None)
    yield from edited_lines(place, long, environment, rounds)
    yield from hinted(place, environment, rounds)


def edited_lines(place: Path, long: Path, environment: Mapping[str, str], rounds: int) -> Iterator[Row]:
    """The diagnostics of a buffer after an edit, in processor time, which other programs do not lengthen."""
    for count, bar in ((SHORT, 100.0), (LONG, 400.0)):
        text = beginning(long.read_text("utf-8"), count)
        file = place / f"first-{count}" / long.name
        file.parent.mkdir()
        file.write_text(text, "utf-8")
        took = [rechecked(OURS, environment, file, text) for _ in range(rounds)]
        lines = f"{text.count(chr(10)):,}"
        yield Row(f"processor time to check after an edit, {lines} lines", median(took), None, bar)


def hinted(place: Path, environment: Mapping[str, str], rounds: int) -> Iterator[Row]:
    """The shapes of the shipped script after an edit, with everything that lies between: pauses, the worker, two processes."""
    file = copied(place / "script", HERE.parent / "scripts" / "train_shapes.py")
    lines = f"{file.read_text('utf-8').count(chr(10)):,} lines"
    yield from hint_rows([shown(OURS, environment, Edited(file, "16 * 6 * 6, ", 64)) for _ in range(rounds)], lines, 300)


def beginning(text: str, count: int) -> str:
    """The whole statements of the first so many lines."""
    body = ast.parse(text).body
    methods = [part for statement in body if isinstance(statement, ast.ClassDef) for part in statement.body]
    ends = [statement.end_lineno or 0 for statement in (*body, *methods)]
    return "".join(text.splitlines(keepends=True)[: max(end for end in ends if end <= count)])


def checked(place: Path, file: Path, package: Path, environment: Mapping[str, str], rounds: int) -> Iterator[Row]:
    """`check` as a command: an empty file, a large package."""
    empty = place / "empty.py"
    empty.write_text("")
    start = median(checking.seconds(empty, environment) for _ in range(2 * rounds))
    yield Row("check: processor time to start", start * 1e3, None, 300)
    lines = checking.lines(package)
    whole = checking.seconds(package, environment)
    yield Row(f"check: processor time, {package.name}, {lines:,} lines", whole, None, 15 * lines / PACKAGE_LINES, "{:.1f} s")


def copied(folder: Path, file: Path) -> Path:
    """A file in a workspace of its own: nothing beside it is read."""
    folder.mkdir()
    return Path(shutil.copy(file, folder / file.name))


def torch_folder() -> Path:
    spec = importlib.util.find_spec("torch")
    if spec is None or not spec.origin:
        sys.exit("The bench needs torch in the Python that runs it: its names are asked for, and its files are long.")
    return Path(spec.origin).parent


def load() -> str:
    return " ".join(f"{part:.1f}" for part in os.getloadavg()) if hasattr(os, "getloadavg") else "unknown"


if __name__ == "__main__":
    sys.exit(main())
