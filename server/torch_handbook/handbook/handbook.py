"""The handbook: entries found by name, alias, tag or rule, each loaded when it is first asked for."""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from torch_handbook.handbook import errors, index
from torch_handbook.handbook import locale as locales
from torch_handbook.handbook.entry import Advice, Entry, Pitfall
from torch_handbook.handbook.load import EntryError, load_file, load_glossaries, load_overlay, load_tags

if TYPE_CHECKING:  # a hover needs neither
    from torch_handbook.handbook.search import Hit, Search
    from torch_handbook.handbook.snippets import Snippet


class Handbook:
    """All entries under a root. It never raises on a broken entry: that one is missing, and `problems` says why."""

    def __init__(self, root: Path, cache: Path | None = None, locale: str = "") -> None:
        self.root = root
        self._wanted = locale
        self._cache = cache
        self._loaded: dict[Path, tuple[int, Entry | None]] = {}
        self._problems: dict[Path, str] = {}

    @staticmethod
    def open(root: Path | None = None, cache: Path | None = None, locale: str = "") -> Handbook:
        """The handbook in `root`, else in the installed package, else in the repository; `cache` is a folder for the index.

        `locale` is a language as editors and systems name them; what is not translated is shown in English.
        """
        return Handbook(root or _default_root(), cache, locale)

    def find(self, name: str) -> Entry | None:
        """The entry with this name or alias: "torch.nn.Linear", "guides/in-place"."""
        path = index.path_of(self.root, name)
        if path is None:
            path = self._paths.get(self._aliases.get(name, ""))
        return self._load(path) if path else None

    def called(self, name: str) -> tuple[str, ...]:
        """The pages that may be meant by the end of a name: "Conv2d", "conv2d", "in-place"; the case decides if it can."""
        ends = [(alias, page) for page, line in self.lines.items() for alias in (page, *line.aliases)]
        for fold in (str, str.casefold):
            wanted = fold(name)
            meant = [page for alias, page in ends if re.fullmatch(rf"(?:.*[./])?{re.escape(wanted)}", fold(alias))]
            if meant:
                return tuple(dict.fromkeys(meant))
        return ()

    def names(self) -> tuple[str, ...]:
        """The names of all entries, in alphabetical order of their paths."""
        return tuple(self._paths)

    def line(self, name: str) -> index.Line | None:
        """What the index knows of a name or alias, without loading its entry."""
        return self.lines.get(name) or self.lines.get(self._aliases.get(name, ""))

    def pitfall_counts(self) -> dict[str, int]:
        """For each name and alias that has pitfalls, how many: cheap enough to mark a list of completions."""
        counts = {name: len(line.rules) for name, line in self.lines.items() if line.rules}
        return counts | {alias: counts[name] for alias, name in self._aliases.items() if name in counts}

    def by_tag(self, tag: str) -> tuple[str, ...]:
        """The names of the entries that carry a tag."""
        return tuple(name for name, line in self.lines.items() if tag in line.tags)

    def pitfalls_of_rule(self, rule: str) -> list[tuple[Entry, Pitfall]]:
        """Every pitfall that names this rule, with the entry it stands in."""
        names = [name for name, line in self.lines.items() if rule in line.rules]
        entries = [entry for entry in map(self.find, names) if entry]
        return [(entry, pitfall) for entry in entries for pitfall in entry.pitfalls if pitfall.rule == rule]

    def advice_of_rule(self, rule: str) -> list[tuple[Entry, Advice]]:
        """Every piece of advice that names this rule, with the entry it stands in."""
        names = [name for name, line in self.lines.items() if rule in line.advised]
        entries = [entry for entry in map(self.find, names) if entry]
        return [(entry, advice) for entry in entries for advice in entry.performance if advice.rule == rule]

    def recognise(self, message: str) -> errors.Recognised | None:
        """The error page that a message belongs to."""
        return errors.recognise(message, {name: line.patterns for name, line in self.lines.items() if line.patterns})

    def search(self, query: str, count: int = 10) -> list[Hit]:
        """The pages that fit a name, or what one wants to do, best first; in every language that there is."""
        return self._search.find(query, count)

    @cached_property
    def snippets(self) -> tuple[Snippet, ...]:
        """The loops and classes that are offered whole."""
        from torch_handbook.handbook import snippets

        return snippets.load(self.root)

    @cached_property
    def locale(self) -> str:
        """The language of the pages that are translated; "" is English."""
        if locales.is_english(self._wanted):  # as no translation is then, and no folder need be looked through
            return ""
        return locales.chosen(self._wanted, {locale for found in self._overlays.values() for locale in found})

    @cached_property
    def lines(self) -> dict[str, index.Line]:
        """The index; the first call loads every entry unless the cache folder has it, so call it off the request path."""
        lines, problems = index.cached(index.Files(self.root, self._paths, self._overlays, self.locale), self._cache)
        self._index_problems = problems
        return lines

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong with entries that could not be loaded, as "file:line: message"."""
        return tuple(dict.fromkeys([*self._problems.values(), *getattr(self, "_index_problems", ())]))

    @cached_property
    def _paths(self) -> dict[str, Path]:
        return index.paths_of(self.root)

    @cached_property
    def _overlays(self) -> index.Overlays:
        return index.overlays_of(self.root)

    @cached_property
    def _search(self) -> Search:
        from torch_handbook.handbook.search import Search

        tags = {tag: " ".join(said.values()) for tag, said in load_tags(self.root).items()}
        return Search(self.lines.values(), tags, load_glossaries(self.root))

    @cached_property
    def _aliases(self) -> dict[str, str]:
        return {alias: name for name, line in self.lines.items() for alias in line.aliases}

    def _load(self, path: Path) -> Entry | None:
        """The entry in a file, read again when the file has changed, so that an author sees what was just written."""
        overlay = self._overlays.get(path, {}).get(self.locale) if self.locale else None
        try:
            time = path.stat().st_mtime_ns + (overlay.stat().st_mtime_ns if overlay else 0)
            if path not in self._loaded or self._loaded[path][0] != time:
                self._problems.pop(path, None)
                self._loaded[path] = time, None
                entry = load_file(path, self.root)
                shown = locales.translated(entry, load_overlay(overlay, self.root), self.locale) if overlay else entry
                self._loaded[path] = time, shown
        except (OSError, EntryError) as error:
            self._problems[path] = str(error)
        return self._loaded[path][1] if path in self._loaded else None


def _default_root() -> Path:
    """The entries in the wheel, or beside the sources in a checkout."""
    package = Path(__file__).resolve().parents[1]
    inside = package / "entries"
    return inside if inside.is_dir() else package.parents[1] / "entries"
