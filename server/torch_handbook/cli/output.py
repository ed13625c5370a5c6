"""How findings are printed for people and for editors that read lines; and which other forms there are."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from torch_handbook.cli.report import Report, column, row, severity
from torch_handbook.engine.rule import Finding
from torch_handbook.source.text import Text

if TYPE_CHECKING:
    from rich.console import Console

COLOURS = {"error": "red", "warning": "yellow", "information": "blue", "hint": "bright_black"}
ORDER = ("error", "warning", "information", "hint")
FORMATS = ("text", "json", "github", "sarif")


def whole(form: str, reports: Sequence[Report]) -> str:
    """All findings in a form that is written at once."""
    if form == "github":
        from torch_handbook.cli import github

        return github.written(reports)
    if form == "sarif":
        from torch_handbook.cli import sarif

        return sarif.written(reports)
    rows = [row(report, finding) for report in reports for finding in report.findings]
    return json.dumps(rows, indent=1, ensure_ascii=False)


def print_text(report: Report, out: TextIO) -> None:
    """One line a finding, as compilers write it; with the code and the fix where a person looks at a terminal."""
    if out.isatty():
        print_rich(report, console(out))
        return
    for finding in report.findings:
        print(f"{report.where(finding.span)}: {severity(finding)}: {finding.message} [{finding.id}]", file=out)


def console(out: TextIO) -> Console:
    from rich.console import Console

    return Console(file=out, highlight=False, soft_wrap=True)


def print_rich(report: Report, screen: Console) -> None:
    """A finding with the line of code that it is about."""
    from rich.text import Text as Rich

    for finding in report.findings:
        colour = COLOURS[severity(finding)]
        screen.print(Rich.assemble((severity(finding), f"bold {colour}"), "  ", finding.message, ("  " + finding.id, "dim")))
        screen.print(Rich(f"  {report.where(finding.span)}", "cyan"))
        for line in marked_line(report.text, finding):
            screen.print(Rich(f"    {line}"))
        for other in finding.related:
            screen.print(Rich(f"  line {report.place(other.span.start).line}: {other.message}", "dim"))
        for fix in finding.fixes:
            screen.print(Rich.assemble(("  fix: ", "green"), fix.title, ("" if fix.safe else "  look at it first", "dim")))
        screen.print()


def marked_line(text: Text, finding: Finding) -> tuple[str, str]:
    """The line where a finding begins, and under it a row of marks."""
    span, line = finding.span, text.line(finding.span.line)
    first = column(text, span.start) - 1
    last = column(text, span.end) - 1 if span.end_line == span.line else len(line)
    indent = len(line) - len(line.lstrip())
    return line[indent:].replace("\t", " "), " " * (first - indent) + "^" * max(last - first, 1)


def closing(reports: Sequence[Report], seconds: float, mended: bool = False) -> str:
    """The last line: what was found, in how many files, and what of it can be mended."""
    found = [finding for report in reports for finding in report.findings]
    counts = Counter(map(severity, found))
    plural = {"error": "errors", "warning": "warnings", "information": "notes", "hint": "hints"}
    single = {"error": "error", "warning": "warning", "information": "note", "hint": "hint"}
    words = [f"{counts[name]} {single[name] if counts[name] == 1 else plural[name]}" for name in ORDER if counts[name]]
    files = f"{len(reports)} file{'' if len(reports) == 1 else 's'}"
    fixable = sum(any(fix.safe for fix in finding.fixes) for finding in found)
    more = f"; --fix mends {fixable} of them" if fixable and not mended else ""
    return f"{', '.join(words) or 'nothing found'} in {files} ({seconds:.1f} s){more}"


def statistics(reports: Sequence[Report], form: str) -> str:
    """How often each name was found, the most frequent first; a star for what can be mended."""
    found = [finding for report in reports for finding in report.findings]
    counts = Counter(finding.id for finding in found)
    first = {finding.id: finding for finding in reversed(found)}
    fixable = {finding.id for finding in found if any(fix.safe for fix in finding.fixes)}
    order = sorted(counts, key=lambda name: (-counts[name], name))
    if form == "json":
        rows = [
            {"rule": name, "group": first[name].rule, "count": counts[name], "severity": severity(first[name]),
             "fixable": name in fixable} for name in order
        ]  # fmt: skip
        return json.dumps(rows, indent=1)
    width, longest = len(str(max(counts.values(), default=0))), max(map(len, order), default=0)
    star = {name: "[*]" if name in fixable else "   " for name in order}
    return "\n".join(f"{counts[name]:{width}}  {star[name]} {name:{longest}}  {severity(first[name])}" for name in order)


def standard_output() -> TextIO:
    """stdout, able to write every character wherever it goes."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")
    return sys.stdout
