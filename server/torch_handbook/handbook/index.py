"""What is known of every entry without keeping them all loaded: what lists, searches, marks and messages are made of."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from torch_handbook.handbook.entry import Entry
from torch_handbook.handbook.load import EntryError, load_file, name_of

FORMAT = "3"  # raise it when a field of Line changes its meaning

LISTS = ("tags", "aliases", "rules", "advised", "pitfalls", "search", "patterns")  # the fields that are tuples


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

    @staticmethod
    def of(entry: Entry) -> Line:
        """The index line of a loaded entry."""
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
    found = (path for path in sorted(root.glob("*/**/*.yaml")) if "." not in path.stem)
    return {name_of(path, root): path for path in found}


def build(paths: dict[str, Path], root: Path) -> tuple[dict[str, Line], tuple[str, ...]]:
    """The index, by loading every entry; and what is wrong with those that cannot be loaded."""
    lines: dict[str, Line] = {}
    problems: list[str] = []
    for name, path in paths.items():
        try:
            lines[name] = Line.of(load_file(path, root))
        except EntryError as error:
            problems.append(str(error))
    return lines, tuple(problems)


def stamp(paths: dict[str, Path]) -> str:
    """A key that changes when an entry does: its file's place, size and time."""
    state = [(name, path.stat().st_size, path.stat().st_mtime_ns) for name, path in paths.items()]
    return sha256(f"{FORMAT} {state}".encode()).hexdigest()[:24]


def cached(paths: dict[str, Path], root: Path, folder: Path | None) -> tuple[dict[str, Line], tuple[str, ...]]:
    """The index from the cache folder if the entries are as they were, else built, and kept there if nothing is wrong with it."""
    if folder is None:
        return build(paths, root)
    place = folder / f"entries-{stamp(paths)}.json"
    kept = _read(place)
    if kept is not None:
        return kept, ()
    lines, problems = build(paths, root)
    if not problems:
        _write(place, lines)
    return lines, problems


def _read(place: Path) -> dict[str, Line] | None:
    """The lines of a cache file; a missing or damaged one counts as none."""
    try:
        rows: list[dict[str, Any]] = json.loads(place.read_text(encoding="utf-8"))
        return {line.name: line for line in map(Line.read, rows)}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _write(place: Path, lines: dict[str, Line]) -> None:
    """Replace the cache file in one step, so that two servers starting together cannot read half of it."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        for old in place.parent.glob("entries-*.json"):
            old.unlink(missing_ok=True)
        fresh = place.with_suffix(".new")
        fresh.write_text(json.dumps([asdict(line) for line in lines.values()]), encoding="utf-8")
        fresh.replace(place)
    except OSError:
        return  # a cache that cannot be written costs 0.1 s at the next start, nothing else
