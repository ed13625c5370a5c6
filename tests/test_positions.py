"""Names at real positions; the packages that they are in have to be downloaded for it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from positions import answers, archives, report, rows

FOLDER = os.environ.get("TORCH_HANDBOOK_PACKAGES", "")
WANTED = " ".join(sorted({f"{row.package}=={row.version}" for row in rows()}))


def test_the_table_can_be_read() -> None:
    found = rows()
    assert len(found) >= 400 and len(found) == len({(row.package, row.path, row.line, row.column) for row in found})
    assert all(row.name is None or row.name.split(".")[0] == "torch" for row in found)


def test_names_at_positions_of_real_packages() -> None:
    there = archives(Path(FOLDER)) if FOLDER else {}
    if not all((row.package, row.version) in there for row in rows()):
        pytest.skip(f"TORCH_HANDBOOK_PACKAGES names no folder with these: pip download --no-deps {WANTED}")
    found = list(answers(Path(FOLDER)))
    verdicts = [answer.verdict for answer in found]
    assert verdicts.count("wrong") <= 0.005 * len(found), report(found)
    assert verdicts.count("right") >= 0.94 * len(found), report(found)
