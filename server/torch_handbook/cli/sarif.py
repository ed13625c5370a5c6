"""Findings as SARIF 2.1.0, which code scanning services and editors read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import quote

from torch_handbook.cli.report import Report, severity
from torch_handbook.engine import registry, ruledoc
from torch_handbook.engine.rule import Finding, Fix, Rule
from torch_handbook.source.text import Span
from torch_handbook.version import __version__

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {"error": "error", "warning": "warning", "information": "note", "hint": "note"}
Json = dict[str, Any]


def written(reports: Sequence[Report]) -> str:
    names = sorted({finding.id for report in reports for finding in report.findings})
    order = {name: number for number, name in enumerate(names)}
    driver = {"name": "torch-handbook", "version": __version__, "rules": [rule_of(name) for name in names]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [result(report, finding, order) for report in reports for finding in report.findings],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1, ensure_ascii=False)


def rule_of(name: str) -> Json:
    """A rule with its page, under the name that its findings go by."""
    rule = registry.rule(name)
    if rule is None:  # a file that cannot be read as Python
        said = {"text": "Python cannot parse the file."}
        return {"id": name, "shortDescription": said, "fullDescription": said, "help": {**said, "markdown": said["text"]}}
    doc = ruledoc.ruledoc(name)
    return {
        "id": name,
        "shortDescription": {"text": doc.summary if doc else name},
        "fullDescription": {"text": doc.why if doc else name},
        "help": {"text": plain_page(rule, name), "markdown": ruledoc.markdown(rule, name)},
        "defaultConfiguration": {"level": LEVELS[rule.severity.value]},
        "properties": {"tags": [rule.category.value, *([rule.id] if rule.id != name else [])]},
    }


def plain_page(rule: Rule, name: str) -> str:
    doc = ruledoc.ruledoc(name)
    if doc is None:
        return rule.id
    return f"{doc.summary}\n\n{doc.why}\n\nBad:\n{doc.bad}\n\nGood:\n{doc.good}\n"


def result(report: Report, finding: Finding, order: dict[str, int]) -> Json:
    related = [
        {**location(report, other.span), "id": number, "message": {"text": other.message}}
        for number, other in enumerate(finding.related)
    ]
    fixes = [fix_of(report, fix) for fix in finding.fixes]
    return {
        "ruleId": finding.id,
        "ruleIndex": order[finding.id],
        "level": LEVELS[severity(finding)],
        "message": {"text": finding.message},
        "locations": [location(report, finding.span)],
        **({"relatedLocations": related} if related else {}),
        **({"fixes": fixes} if fixes else {}),
    }


def location(report: Report, span: Span) -> Json:
    return {"physicalLocation": {"artifactLocation": artifact(report), "region": region(report, span)}}


def artifact(report: Report) -> Json:
    """The file: a path from the folder that the check was run in, or the whole of it where it lies elsewhere."""
    path = PurePath(report.path)
    return {"uri": Path(path).as_uri() if path.is_absolute() else quote(path.as_posix())}


def region(report: Report, span: Span) -> Json:
    """Lines and columns from 1; the end column is one behind the last character."""
    start, end = report.place(span.start), report.place(span.end)
    return {"startLine": start.line, "startColumn": start.column, "endLine": end.line, "endColumn": end.column}


def fix_of(report: Report, fix: Fix) -> Json:
    replacements = [
        {"deletedRegion": region(report, edit.span), "insertedContent": {"text": report.text.ended(edit.text)}}
        for edit in fix.edits
    ]
    changes = [{"artifactLocation": artifact(report), "replacements": replacements}]
    return {"description": {"text": fix.title}, "artifactChanges": changes}
