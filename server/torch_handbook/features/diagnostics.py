"""What the rules find in a file, with what an editor needs to show it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from torch_handbook.engine import registry
from torch_handbook.engine.baseline import unknown
from torch_handbook.engine.rule import Category, Finding
from torch_handbook.engine.run import check
from torch_handbook.engine.target import Target
from torch_handbook.snapshot import Snapshot
from torch_handbook.source.text import Position, Text
from torch_handbook.source.torch_releases import is_told

WORD = re.compile(r"[\w.]+")


@dataclass(frozen=True)
class Diagnostic:
    """A finding, and how it is drawn: faded out where the code has no effect, struck through where it is deprecated."""

    finding: Finding
    unnecessary: bool = False
    deprecated: bool = False


def diagnose(snapshot: Snapshot) -> list[Diagnostic]:
    """All findings in a file that its baseline does not have, in document order. It may take a while: call it in a thread."""
    return snapshot.once("diagnostics", lambda: [_drawn(finding) for finding in _findings(snapshot)])


def finished(found: list[Diagnostic], text: Text, typed: Position) -> list[Diagnostic]:
    """Without what is said of the word in which someone is typing: half of a name is no wrong name."""
    return [one for one in found if not (one.finding.span.contains(typed) and WORD.fullmatch(text.slice(one.finding.span)))]


def _findings(snapshot: Snapshot) -> list[Finding]:
    if snapshot.text.line_count > snapshot.settings.max_lines:
        return []
    found = check(snapshot.file, snapshot.facts, snapshot.settings, target=target_of(snapshot))
    return unknown(found, snapshot.text, snapshot.known)[0]


def target_of(snapshot: Snapshot) -> Target:
    """The torch that the file is for."""
    version, lowest = snapshot.docs.version, snapshot.settings.lowest_torch
    return Target.of(version, lowest, None if is_told(version) else snapshot.docs.marks())


def _drawn(finding: Finding) -> Diagnostic:
    rule = registry.rule(finding.rule)
    deprecated = rule is not None and rule.category is Category.DEPRECATION
    return Diagnostic(finding, unnecessary=finding.rule == "unused-suppression", deprecated=deprecated)
