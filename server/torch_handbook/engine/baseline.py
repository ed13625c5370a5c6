"""What was found in a file before and is not to be reported again, known by its rule and the words of its line."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from torch_handbook.engine.rule import Finding
from torch_handbook.source.text import Text

Entry = tuple[str, str]  # the id, and the text of the line where the finding begins, without the space around it
Known = Mapping[Entry, int]  # how many findings of each


def entry_of(finding: Finding, text: Text) -> Entry:
    """How a finding is known again when its line has moved."""
    return finding.id, " ".join(text.line(finding.span.line).split())


def entries_of(findings: Iterable[Finding], text: Text) -> Counter[Entry]:
    return Counter(entry_of(finding, text) for finding in findings)


def unknown(findings: Iterable[Finding], text: Text, known: Known) -> tuple[list[Finding], Counter[Entry]]:
    """The findings that are not among the known ones, and which of these were found again."""
    new: list[Finding] = []
    again: Counter[Entry] = Counter()
    for finding in findings:
        name, line = entry_of(finding, text)
        # A kind may have gone by the name of its rule when the file was written.
        entry = next((one for one in ((name, line), (finding.rule, line)) if again[one] < known.get(one, 0)), None)
        if entry is None:
            new.append(finding)
        else:
            again[entry] += 1
    return new, again


def read(content: str) -> dict[str, Counter[Entry]]:
    """The known findings of each file, by its path from the folder of the baseline. Raises ValueError for what is none."""
    try:
        whole: Any = json.loads(content)
        return {str(name): counted(rows) for name, rows in whole["files"].items()}
    except (TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(str(error)) from error


def counted(rows: Iterable[Mapping[str, Any]]) -> Counter[Entry]:
    found: Counter[Entry] = Counter()
    for row in rows:
        found[str(row["rule"]), str(row["line"])] += int(row.get("count", 1))
    return found
