"""What the command line has to say of one file, and in plain values of one finding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from torch_handbook.cli.files import SourceFile
from torch_handbook.engine.rule import Edit, Finding, Fix, Severity
from torch_handbook.source.text import Position, Span, Text


@dataclass(frozen=True)
class Report:
    """What was found in a file, and its text as it is after its fixes."""

    source: SourceFile
    text: Text
    findings: tuple[Finding, ...]
    fixed: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        return self.source.path

    @property
    def changed(self) -> bool:
        return self.text.content != self.source.content

    def place(self, position: Position) -> Place:
        """Where a reader of the file looks."""
        cell, line = self.source.form.place(position.line, self.text)
        return Place(line, column(self.text, position), cell)

    def where(self, span: Span) -> str:
        """ "net.py:3:5"; "net.ipynb:cell 2:3:5"."""
        place = self.place(span.start)
        cell = f"cell {place.cell}:" if place.cell is not None else ""
        return f"{self.path}:{cell}{place.line}:{place.column}"


@dataclass(frozen=True)
class Place:
    """Line and column in characters, from 1; in a notebook those of a cell."""

    line: int
    column: int
    cell: int | None = None

    def plain(self) -> dict[str, int]:
        return {"line": self.line, "column": self.column, **({} if self.cell is None else {"cell": self.cell})}


def column(text: Text, position: Position) -> int:
    """The column in characters, from 1."""
    return text.offset(position) - text.offset(Position(position.line, 0)) + 1


def severity(finding: Finding) -> str:
    return (finding.severity or Severity.WARNING).value


def row(report: Report, finding: Finding) -> dict[str, Any]:
    """A finding as JSON: lines and columns count characters from 1, the end is excluded."""
    fix = finding.fixes[0] if finding.fixes else None
    return {
        "path": report.path,
        "rule": finding.id,
        "group": finding.rule,
        "severity": severity(finding),
        "message": finding.message,
        "range": span_row(report, finding.span),
        "fix": fix_row(report, fix) if fix else None,
    }


def fix_row(report: Report, fix: Fix) -> Mapping[str, Any]:
    return {"title": fix.title, "safe": fix.safe, "edits": [edit_row(report, edit) for edit in fix.edits]}


def edit_row(report: Report, edit: Edit) -> Mapping[str, Any]:
    return {"range": span_row(report, edit.span), "text": report.text.ended(edit.text)}


def span_row(report: Report, span: Span) -> dict[str, Any]:
    return {"start": report.place(span.start).plain(), "end": report.place(span.end).plain()}
