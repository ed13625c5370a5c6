"""Which rules run on a file, and how heavy they weigh, as the settings say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import PurePath
from typing import Protocol

from torch_handbook.engine.rule import Finding, Rule, Severity

WORDS = frozenset(item.value for item in Severity)


class Selection(Protocol):
    """What the engine reads of the settings. A name is a rule's id, a kind that it covers, a category, or "all"."""

    @property
    def select(self) -> Sequence[str]: ...
    @property
    def extend_select(self) -> Sequence[str]: ...
    @property
    def ignore(self) -> Sequence[str]: ...
    @property
    def extend_ignore(self) -> Sequence[str]: ...
    @property
    def per_file_ignores(self) -> Mapping[str, Sequence[str]]: ...
    @property
    def severity(self) -> Mapping[str, str]: ...


@dataclass(frozen=True)
class Choice:
    """What the settings say of one file. The more specific name wins: a kind over its rule, a rule over its category, that
    over "all".

    What is ignored in this file is so whatever was chosen.
    """

    chosen: frozenset[str]
    by_default: bool  # nothing was selected: the rules that are on by default are
    ignored: frozenset[str]
    ignored_here: frozenset[str]
    severity: Mapping[str, str]

    @staticmethod
    def of(path: str, selection: Selection) -> Choice:
        return Choice(
            frozenset([*selection.select, *selection.extend_select]),
            not selection.select,
            frozenset([*selection.ignore, *selection.extend_ignore]),
            frozenset(ignored_in(path, selection)),
            selection.severity,
        )

    def wants(self, rule: Rule, kind: str = "") -> bool:
        """Whether a rule's findings of a kind, or those of none, are to be shown."""
        names = ("all", rule.category.value, rule.id, kind)
        if not self.ignored_here.isdisjoint(names) or (self.severity.get(kind) or self.severity.get(rule.id)) == "off":
            return False
        chosen = max(rank(names, self.chosen), 1 if self.by_default and rule.default else 0)
        return chosen > rank(names, self.ignored)

    def wanted(self, rule: Rule) -> list[str]:
        """The names of a rule whose findings are to be shown; where there are none, it need not run."""
        return [rule.id] * self.wants(rule) + [kind for kind in rule.covers if self.wants(rule, kind)]

    def weighed(self, finding: Finding, rule: Rule) -> Finding | None:
        """The finding with its rule and severity filled in; None where it is not to be shown."""
        if not self.wants(rule, finding.kind):
            return None
        word = self.severity.get(finding.kind) or self.severity.get(rule.id)
        severity = Severity(word) if word in WORDS else finding.severity or rule.severity
        return replace(finding, severity=severity, rule=rule.id)


def ignored_in(path: str, selection: Selection) -> tuple[str, ...]:
    """The names that are ignored in a file, whose path is from the folder of the settings: folders above it do not count."""
    return tuple(name for pattern, names in selection.per_file_ignores.items() if matches(path, pattern) for name in names)


def rank(names: Sequence[str], given: frozenset[str]) -> int:
    """How specific the most specific of these names is that is given, from 1; 0 where none is."""
    return max((place for place, name in enumerate(names, 1) if name in given), default=0)


def matches(path: str, pattern: str) -> bool:
    """Whether a pattern names a file: its name, the end of its path, or the whole of it."""
    posix = PurePath(path).as_posix()
    plain = pattern.replace("**/", "*/") if not pattern.startswith("**/") else pattern[1:]
    return fnmatch(PurePath(path).name, pattern) or fnmatch(posix, plain) or fnmatch(posix, f"*/{pattern}")
