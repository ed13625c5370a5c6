"""How findings are printed: as text for people and for editors that read lines, or as JSON."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

from torch_handbook.engine.rule import Finding, Severity
from torch_handbook.source.text import Position, Text

if TYPE_CHECKING:
    from rich.console import Console

COLOURS = {"error": "red", "warning": "yellow", "information": "blue", "hint": "bright_black"}
ORDER = ("error", "warning", "information", "hint")


@dataclass(frozen=True)
class Report:
    """What was found in one file."""

    path: str
    text: Text
    findings: tuple[Finding, ...]


def to_json(reports: Sequence[Report]) -> str:
    """One list of all findings; lines and columns count characters from 1, the end is excluded."""
    rows = [row(report, finding) for report in reports for finding in report.findings]
    return json.dumps(rows, indent=1, ensure_ascii=False)


def row(report: Report, finding: Finding) -> dict[str, Any]:
    span = finding.span
    return {
        "path": report.path,
        "rule": finding.id,
        "group": finding.rule,
        "severity": severity(finding),
        "message": finding.message,
        "range": {"start": place(report.text, span.start), "end": place(report.text, span.end)},
    }


def place(text: Text, position: Position) -> dict[str, int]:
    return {"line": position.line, "column": column(text, position)}


def column(text: Text, position: Position) -> int:
    """The column in characters, from 1."""
    return text.offset(position) - text.offset(Position(position.line, 0)) + 1


def severity(finding: Finding) -> str:
    return (finding.severity or Severity.WARNING).value


def print_text(report: Report, out: TextIO) -> None:
    """One line a finding, as compilers write it; with the code and the fix where a person looks at a terminal."""
    if out.isatty():
        print_rich(report, console(out))
        return
    for finding in report.findings:
        where = f"{report.path}:{finding.span.line}:{column(report.text, finding.span.start)}"
        print(f"{where}: {severity(finding)}: {finding.message} [{finding.id}]", file=out)


def console(out: TextIO) -> Console:
    from rich.console import Console

    return Console(file=out, highlight=False, soft_wrap=True)


def print_rich(report: Report, screen: Console) -> None:
    """A finding with the line of code that it is about."""
    from rich.text import Text as Rich

    for finding in report.findings:
        colour, span = COLOURS[severity(finding)], finding.span
        where = f"{report.path}:{span.line}:{column(report.text, span.start)}"
        screen.print(Rich.assemble((severity(finding), f"bold {colour}"), "  ", finding.message, ("  " + finding.id, "dim")))
        screen.print(Rich(f"  {where}", "cyan"))
        for line in marked_line(report.text, finding):
            screen.print(Rich(f"    {line}"))
        for other in finding.related:
            screen.print(Rich(f"  line {other.span.line}: {other.message}", "dim"))
        for fix in finding.fixes:
            screen.print(Rich.assemble(("  fix: ", "green"), fix.title))
        screen.print()


def marked_line(text: Text, finding: Finding) -> tuple[str, str]:
    """The line where a finding begins, and under it a row of marks."""
    span, line = finding.span, text.line(finding.span.line)
    first = column(text, span.start) - 1
    last = column(text, span.end) - 1 if span.end_line == span.line else len(line)
    indent = len(line) - len(line.lstrip())
    return line[indent:].replace("\t", " "), " " * (first - indent) + "^" * max(last - first, 1)


def closing(reports: Sequence[Report], files: int, seconds: float) -> str:
    """The last line: what was found, in how many files."""
    counts = Counter(severity(finding) for report in reports for finding in report.findings)
    plural = {"error": "errors", "warning": "warnings", "information": "notes", "hint": "hints"}
    single = {"error": "error", "warning": "warning", "information": "note", "hint": "hint"}
    words = [f"{counts[name]} {single[name] if counts[name] == 1 else plural[name]}" for name in ORDER if counts[name]]
    return f"{', '.join(words) or 'nothing found'} in {files} file{'' if files == 1 else 's'} ({seconds:.1f} s)"


def standard_output() -> TextIO:
    """stdout, able to write every character wherever it goes."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")
    return sys.stdout
