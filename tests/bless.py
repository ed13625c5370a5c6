"""Writes the golden files anew: `python tests/bless.py [rule_id.py …]`. Read the difference before you commit it."""

from __future__ import annotations

import sys

from markers import checked
from test_rules import FIXTURES, needs_facts
from torch_handbook.engine.fixes import fixed
from torch_handbook.source.text import Text


def main(names: list[str]) -> None:
    for path in FIXTURES:
        if names and path.name not in names:
            continue
        content = path.read_text("utf-8")
        fixes = [finding.fixes[0] for finding in checked(path, content, needs_facts(path)) if finding.fixes]
        golden = path.with_suffix(".fixed.py")
        if fixes:
            golden.write_text(fixed(Text(content), fixes)[0], "utf-8")
        else:
            golden.unlink(missing_ok=True)


main(sys.argv[1:])
