"""Which rules run on a file, and how heavy they weigh, as the settings say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatch
from pathlib import PurePath
from typing import Protocol

from torch_handbook.engine.rule import Finding, Rule, Severity


class Selection(Protocol):
    """What the engine reads of the settings. A name is a rule's id, a kind that it covers, a category, or "all"."""

    @property
    def select(self) -> Sequence[str]: ...
    @property
    def ignore(self) -> Sequence[str]: ...
    @property
    def per_file_ignores(self) -> Mapping[str, Sequence[str]]: ...
    @property
    def severity(self) -> Mapping[str, str]: ...


def selected(rule: Rule, selection: Selection, ignored: frozenset[str]) -> bool:
    """Whether a rule runs: chosen by name or by default, and neither ignored nor switched off as a whole."""
    if rule.id in ignored or rule.category.value in ignored or "all" in ignored:
        return False
    if selection.severity.get(rule.id) == "off":
        return False
    chosen = set(selection.select)
    if not chosen:
        return rule.default
    return "all" in chosen or rule.category.value in chosen or rule.id in chosen or not chosen.isdisjoint(rule.covers)


def ignored_in(path: str, selection: Selection) -> frozenset[str]:
    """The names that are ignored in this file."""
    names = set(selection.ignore)
    for pattern, more in selection.per_file_ignores.items():
        if matches(path, pattern):
            names.update(more)
    return frozenset(names)


def matches(path: str, pattern: str) -> bool:
    """Whether a pattern names a file: its name, the end of its path, or the whole of it."""
    posix = PurePath(path).as_posix()
    plain = pattern.replace("**/", "*/") if not pattern.startswith("**/") else pattern[1:]
    return fnmatch(PurePath(path).name, pattern) or fnmatch(posix, plain) or fnmatch(posix, f"*/{pattern}")


def weighed(finding: Finding, rule: Rule, selection: Selection) -> Finding | None:
    """The finding with its rule and severity filled in; None when the settings switch its kind off."""
    word = selection.severity.get(finding.kind) or selection.severity.get(rule.id)
    if word == "off":
        return None
    severity = Severity(word) if word in {item.value for item in Severity} else finding.severity or rule.severity
    return Finding(finding.span, finding.message, finding.fixes, finding.related, severity, rule.id, finding.kind)
