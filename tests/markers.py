"""Marks: what a fixture says is found in it, at the line where it is found."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from torch_handbook.engine import registry
from torch_handbook.engine.facts import Facts
from torch_handbook.engine.rule import Finding
from torch_handbook.engine.run import check
from torch_handbook.settings import Settings
from torch_handbook.source.file import File
from torch_handbook_worker.protocol import InterpretRequest

MARK = re.compile(r"#\s*expect:\s*(?P<marks>.*)$")
ONE = re.compile(r"\s*(?P<rule>[a-z][a-z0-9-]*)\s*(?:\"(?P<words>[^\"]*)\")?\s*(?:;|$)")


@dataclass(frozen=True)
class Mark:
    """One expected finding."""

    line: int
    rule: str
    words: str = ""

    def meets(self, finding: Finding) -> bool:
        """Whether a finding is the expected one: it begins on the line, goes by this name, and holds the words."""
        return finding.span.line == self.line and self.rule in (finding.rule, finding.id) and self.words in finding.message


def marks_in(content: str) -> list[Mark]:
    """The marks of a fixture. A mark that cannot be read is a mistake in the fixture."""
    found: list[Mark] = []
    for number, line in enumerate(content.splitlines(), 1):
        comment = MARK.search(line)
        if comment is None:
            continue
        place, text = 0, comment["marks"]
        while place < len(text):
            one = ONE.match(text, place)
            assert one is not None, f"line {number}: this mark cannot be read: {text[place:]}"
            found.append(Mark(number, one["rule"], one["words"] or ""))
            place = one.end()
    return found


def differences(findings: Iterable[Finding], marks: Iterable[Mark]) -> list[str]:
    """What was found without a mark, and which marks nothing meets; empty when all is as expected."""
    left = list(marks)
    problems: list[str] = []
    for finding in findings:
        met = next((mark for mark in left if mark.meets(finding)), None)
        if met is None:
            problems.append(f"line {finding.span.line}: not expected: {finding.id}: {finding.message}")
        else:
            left.remove(met)
    return problems + [f"line {mark.line}: missing: {mark.rule} {mark.words!r}" for mark in left]


def checked(path: Path, content: str, facts: bool = False) -> list[Finding]:
    """What all rules find in a text; with facts it is interpreted first, here in the test's own process.

    A rule that is off by default is on in the fixture that has its name.
    """
    own = path.name.split(".")[0].replace("_", "-")
    settings = Settings(extend_select=(own,) if registry.rule(own) else ())
    return check(File.read(str(path), content), interpreted(path, content) if facts else Facts.none(), settings)


def interpreted(path: Path, content: str) -> Facts:
    from torch_handbook_worker.tensors.program import interpret

    return Facts(interpret(InterpretRequest(str(path), content, [str(path.parent)], seconds=60.0)))
