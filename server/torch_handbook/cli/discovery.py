"""Which files the command line looks at: what is named, what a pattern matches, and what lies below a folder."""

from __future__ import annotations

import glob
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path, PurePath

from torch_handbook.cli.files import NOTEBOOK, STANDARD_INPUT, Misuse
from torch_handbook.cli.gitignore import Ignored, expression, prefix
from torch_handbook.settings import EXCLUDED

SUFFIXES = (".py", ".pyw", NOTEBOOK)


@dataclass(frozen=True)
class Filter:
    """What is passed over below a folder. `root` is the folder that patterns with a slash are relative to."""

    root: Path = field(default_factory=Path.cwd)
    exclude: Sequence[str] = EXCLUDED
    gitignore: bool = True
    force: bool = False  # whether files that are named are passed over too

    def excludes(self, path: Path) -> bool:
        """Whether a pattern names a file or folder: by its own name, or by its path from the root."""
        return any(names(pattern, path, self.root) for pattern in self.exclude)

    def excludes_above(self, path: Path) -> bool:
        """The same for a file that was named, or a folder that it lies in."""
        whole = absolute(path)
        tops = (self.root, absolute(Path()))
        inside = (place for place in (whole, *whole.parents) if any(top in place.parents for top in tops))
        return any(self.excludes(place) for place in inside)


def names(pattern: str, path: Path, root: Path) -> bool:
    """A pattern with a slash is about the path from the root, one without about the name alone; * stops at slashes."""
    text = pattern.rstrip("/")
    if "/" not in text:
        return compiled(text).fullmatch(path.name) is not None
    whole = absolute(path).as_posix()
    start = "" if PurePath(text).is_absolute() else prefix(root)
    return whole.startswith(start) and compiled(text.removeprefix("./")).fullmatch(whole[len(start) :]) is not None


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(expression(pattern) or re.escape(pattern), re.DOTALL)


def absolute(path: Path) -> Path:
    """The whole path, links kept: what a reader calls a file is what patterns speak of."""
    return Path(os.path.abspath(path))  # noqa: PTH100


def python_files(paths: Iterable[Path], filter_for: Callable[[Path], Filter] = lambda path: Filter()) -> list[Path]:
    """The files themselves, those that a pattern matches, and the Python files below the folders, each once, in order.

    Raises Misuse for what is not there.
    """
    found: dict[Path, Path] = {}
    for path in paths:
        for one in files_at(path, filter_for(path)):
            found.setdefault(identity(one), one)
    return list(found.values())


def files_at(path: Path, rules: Filter) -> Iterator[Path]:
    """What one argument names. Raises Misuse where there is nothing."""
    if path == STANDARD_INPUT:
        yield path
    elif not path.exists():
        yield from matched(path, rules)
    elif path.is_dir():
        inside = list(walk(path, rules))
        yield from inside
        if not inside:
            print(f"torch-handbook: there are no Python files in {path}", file=sys.stderr)
    elif not (rules.force and rules.excludes_above(path)):
        yield path


def identity(path: Path) -> Path:
    """The same for `a.py` and `sub/../a.py`, and by whichever link a folder was come to; a link to a file is one of its own."""
    return path if path == STANDARD_INPUT else real(path.parent) / path.name


@cache
def real(folder: Path) -> Path:
    return folder.resolve()


def matched(pattern: Path, rules: Filter) -> Iterator[Path]:
    """What a pattern matches of that which is not passed over: not every shell knows `**`, and on Windows none does its work.

    Raises Misuse where nothing does.
    """
    text = str(pattern)
    names = set(glob.glob(text, recursive=True)) if glob.has_magic(text) else set[str]()  # noqa: PTH207 - it keeps "src/"
    if not names:
        raise Misuse(f"nothing matches {text}" if glob.has_magic(text) else f"there is no file or folder {text}")
    above = pattern
    while glob.has_magic(str(above)):
        above = above.parent
    for path in walk(above, rules):
        if str(path) in names or any(str(folder) in names for folder in path.parents):
            yield path


def walk(folder: Path, rules: Filter) -> Iterator[Path]:
    """The Python files below a folder, without what is excluded, ignored by git, or an environment."""
    ignored = {absolute(folder): Ignored.above(absolute(folder))}
    for place, folders, files in os.walk(folder):
        here = Path(place)
        whole = absolute(here)
        # What is above a folder was looked at before it.
        known = ignored.pop(whole, Ignored()) if rules.gitignore else Ignored()
        known = known.within(whole) if rules.gitignore else known
        kept = sorted(name for name in folders if not is_skipped(here / name, rules) and not known.has(whole / name, True))
        folders[:] = kept
        ignored.update((whole / name, known) for name in kept)
        for name in sorted(files):
            path = here / name
            if name.endswith(SUFFIXES) and not (rules.excludes(path) or known.has(whole / name, False) or path.is_fifo()):
                yield path  # a pipe would be waited for, and nobody may ever write to it


def is_skipped(folder: Path, rules: Filter) -> bool:
    return rules.excludes(folder) or (folder / "pyvenv.cfg").exists()
