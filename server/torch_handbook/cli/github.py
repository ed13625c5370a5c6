"""Findings as GitHub's workflow commands, which it shows at their lines in a pull request."""

from __future__ import annotations

from collections.abc import Sequence

from torch_handbook.cli.report import Report, severity
from torch_handbook.engine.rule import Finding

LEVELS = {"error": "error", "warning": "warning", "information": "notice", "hint": "notice"}


def written(reports: Sequence[Report]) -> str:
    return "\n".join(command(report, finding) for report in reports for finding in report.findings)


def command(report: Report, finding: Finding) -> str:
    """One finding: where it is as properties, and once more in the message, which alone is in the log."""
    start, end = report.place(finding.span.start), report.place(finding.span.end)
    properties: dict[str, object] = {"title": f"torch-handbook ({finding.id})", "file": report.path}
    if start.cell is None:  # the lines of a cell are not those of the file
        properties |= {"line": start.line, "endLine": end.line}
        if start.line == end.line:  # GitHub refuses columns over several lines
            properties |= {"col": start.column, "endColumn": end.column}
    shown = ",".join(f"{key}={escaped(str(value), ':,')}" for key, value in properties.items())
    message = f"{report.where(finding.span)}: {finding.message} [{finding.id}]"
    return f"::{LEVELS[severity(finding)]} {shown}::{escaped(message)}"


def escaped(text: str, more: str = "") -> str:
    """What would end a command, or a property of it, as GitHub wants it written."""
    for character in f"%\r\n{more}":
        text = text.replace(character, f"%{ord(character):02X}")
    return text
