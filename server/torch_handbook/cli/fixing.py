"""What becomes of a file after its fixes: it is written, printed, or shown as a difference."""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from torch_handbook.cli.files import write
from torch_handbook.cli.report import Report

LINES = re.compile(r"[^\n]*\n|[^\n]+$")  # as diff and patch take them apart


def save(report: Report) -> str | None:
    """Write a file that has changed, in its own encoding; why it could not be written, as a sentence."""
    try:
        write(Path(report.path), report.source.form.data(report.text.content))
    except OSError as error:
        return f"{report.path} cannot be written: {error.strerror or error}"
    except UnicodeEncodeError as error:
        return f"{report.path} cannot be written: its encoding {error.encoding} has no {error.object[error.start]!r}"
    return None


def difference(report: Report) -> str:
    """A unified diff of what the fixes change, as `patch -p0` takes it."""
    before, after = (LINES.findall(text) for text in (report.source.content, report.text.content))
    return "".join(ended(difflib.unified_diff(before, after, report.path, report.path)))


def ended(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def print_bytes(data: bytes) -> None:
    """To stdout as they are: no line end is touched."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def summary(reports: Sequence[Report]) -> str:
    """ "3 fixed, 2 left"."""
    mended = sum(len(report.fixed) for report in reports)
    return f"{mended} fixed, {sum(len(report.findings) for report in reports)} left"


def outlook(reports: Sequence[Report]) -> str:
    """What --diff only shows."""
    mended, files = sum(len(report.fixed) for report in reports), sum(report.changed for report in reports)
    return f"{mended} would be fixed in {files} file{'' if files == 1 else 's'}"
