"""What is known of every entry without keeping them all loaded: what lists, searches, marks and messages are made of."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from torch_handbook.handbook.entry import Entry
from torch_handbook.handbook.load import EntryError, load_file, load_overlay, name_at
from torch_handbook.handbook.locale import Overlay, translated

FORMAT = "4"  # raise it when a field of Line changes its meaning

ENTRY = re.compile(r"torch(?:\.\w+)*|\w+/[\w-]+")
LISTS = ("tags", "aliases", "rules", "advised", "pitfalls", "search", "patterns", "other")  # the fields that are tuples


@dataclass(frozen=True)
class Line:
    """One entry in the index; `rules` has one item for each of the `pitfalls`, "" where no rule sees it."""

    name: str
    kind: str
    summary: str
    title: str
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    rules: tuple[str, ...]
    advised: tuple[str, ...]  # the rules of its advice
    pitfalls: tuple[str, ...]  # their titles
    search: tuple[str, ...]
    patterns: tuple[str, ...]
    other: tuple[str, ...]  # title, summary and phrases in the languages that are not shown, to be searched all the same

    @staticmethod
    def of(entry: Entry, other: Iterable[Entry | Overlay] = ()) -> Line:
        """The index line of a loaded entry, with what it says in other languages."""
        rules = tuple(pitfall.rule or "" for pitfall in entry.pitfalls)
        advised = tuple(advice.rule for advice in entry.performance if advice.rule)
        return Line(
            name=entry.name,
            kind=entry.kind.value,
            summary=entry.summary,
            title=entry.title,
            tags=entry.tags,
            aliases=entry.aliases,
            rules=rules,
            advised=advised,
            pitfalls=tuple(pitfall.title for pitfall in entry.pitfalls),
            search=entry.search,
            patterns=entry.patterns,
            other=tuple(text for one in other for text in (one.title, one.summary, *one.search) if text),
        )

    @staticmethod
    def read(row: dict[str, Any]) -> Line:
        """The line that a row of the cache file holds."""
        row.update({key: tuple(row[key]) for key in LISTS})
        return Line(**row)


def paths_of(root: Path) -> dict[str, Path]:
    """Every entry's name and file, as the disk spells it: where case is folded, `torch.tensor` must not be found in `Tensor`.

    A file with a dot in its stem (conv2d.zh-CN.yaml) is a translation and no entry, nor is what lies in the root itself.
    """
    found = ((parts, path) for parts, path in files_below(root) if parts[-1].count(".") == 1)
    return {name_at(parts): Path(path) for parts, path in found}


def files_below(root: Path) -> list[tuple[tuple[str, ...], str]]:
    """Every YAML file that lies in a folder of the root, as the parts of its place there and as a path, in order."""
    found: list[tuple[tuple[str, ...], str]] = []
    for folder, _, names in os.walk(root):
        if parts := Path(folder).relative_to(root).parts:
            found += [((*parts, name), f"{folder}{os.sep}{name}") for name in names if name.endswith(".yaml")]
    return sorted(found)


def path_of(root: Path, name: str) -> Path | None:
    """The file of one entry, without looking through all folders, as a hover cannot wait for that; None where there is none."""
    if not ENTRY.fullmatch(name):
        return None
    parts = name.split("/" if "/" in name else ".")
    for path in (root.joinpath(*parts[:-1], f"{parts[-1]}.yaml"), root.joinpath(*parts, "index.yaml")):
        if path.is_file() and _spelled_so(path, root):
            return path
    return None


def _spelled_so(path: Path, root: Path) -> bool:
    """Whether a file that was found is called so, letter by letter: a disk that folds case finds `Tensor` for `tensor`, too."""
    below = path.relative_to(root).parts
    return all(part in _names_in(root.joinpath(*below[:depth])) for depth, part in enumerate(below))


def _names_in(folder: Path) -> set[str]:
    with os.scandir(folder) as found:
        return {one.name for one in found}


Overlays = dict[Path, dict[str, Path]]


def overlays_of(root: Path) -> Overlays:
    """The translations of each entry's file, by their locales: conv2d.zh-CN.yaml beside conv2d.yaml."""
    found: Overlays = {}
    for parts, path in files_below(root):
        if locale := parts[-1].removesuffix(".yaml").partition(".")[2]:
            found.setdefault(Path(path.removesuffix(f".{locale}.yaml") + ".yaml"), {})[locale] = Path(path)
    return found


@dataclass(frozen=True)
class Files:
    """Where the entries lie, and in which language they are shown."""

    root: Path
    paths: dict[str, Path]
    overlays: Overlays
    locale: str = ""

    def line(self, path: Path) -> Line:
        """The index line of an entry's file. Raises EntryError."""
        entry = load_file(path, self.root)
        texts = {locale: load_overlay(place, self.root) for locale, place in self.overlays.get(path, {}).items()}
        if self.locale in texts:
            shown = translated(entry, texts.pop(self.locale), self.locale)
            return Line.of(shown, [entry, *texts.values()])
        return Line.of(entry, texts.values())

    def stamp(self) -> str:
        """A key that changes when an entry or a translation does: its file's place, size and time."""
        every = [*self.paths.values(), *(place for places in self.overlays.values() for place in places.values())]
        state = [(str(path), found.st_size, found.st_mtime_ns) for path in every for found in (path.stat(),)]
        return f"{self.locale}{sha256(f'{FORMAT} {state}'.encode()).hexdigest()[:24]}"


def build(files: Files) -> tuple[dict[str, Line], tuple[str, ...]]:
    """The index, by loading every entry; and what is wrong with those that cannot be loaded."""
    lines: dict[str, Line] = {}
    problems: list[str] = []
    for name, path in files.paths.items():
        try:
            lines[name] = files.line(path)
        except EntryError as error:
            problems.append(str(error))
    return lines, tuple(problems)


def cached(files: Files, folder: Path | None) -> tuple[dict[str, Line], tuple[str, ...]]:
    """The index from the cache folder if the entries are as they were, else built, and kept there if nothing is wrong with it."""
    if folder is None:
        return build(files)
    place = folder / f"entries-{files.stamp()}.json"
    kept = _read(place)
    if kept is not None:
        return kept, ()
    lines, problems = build(files)
    if not problems:
        _write(place, lines, files.locale)
    return lines, problems


def _read(place: Path) -> dict[str, Line] | None:
    """The lines of a cache file; a missing or damaged one counts as none."""
    try:
        rows: list[dict[str, Any]] = json.loads(place.read_text(encoding="utf-8"))
        return {line.name: line for line in map(Line.read, rows)}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _write(place: Path, lines: dict[str, Line], locale: str) -> None:
    """Replace the cache file in one step, so that two servers starting together cannot read half of it."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        for old in place.parent.glob(f"entries-{locale}{'[0-9a-f]' * 24}.json"):
            old.unlink(missing_ok=True)
        fresh = place.with_suffix(".new")
        fresh.write_text(json.dumps([asdict(line) for line in lines.values()]), encoding="utf-8")
        fresh.replace(place)
    except OSError:
        return  # a cache that cannot be written costs 0.1 s at the next start, nothing else
