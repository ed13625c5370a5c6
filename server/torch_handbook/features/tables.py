"""Tables in Markdown that read well raw, too: editors that do not render them show their columns in line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest

PLAIN = re.compile(r"[A-Za-z0-9'.+-](?:[\w'.+–-]*[A-Za-z0-9'.+-])?")  # a name, a number or a string, without marks at its ends


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; the last column is not padded, and columns without a word in any row are left out."""
    cells = [[cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows]
    kept = [number for number in range(len(head)) if any(row[number] for row in cells)]
    lines = [[row[number] for number in kept] for row in [list(head), *cells]]
    widths = [max(map(len, column)) for column in zip_longest(*lines, fillvalue="")]
    rule = ["-" * max(width, 3) for width in widths[:-1]] + ["---"]
    return "\n".join(_line(line, widths) for line in [lines[0], rule, *lines[1:]])


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [cell.ljust(max(width, 3)) for cell, width in zip(cells[:-1], widths, strict=False)]
    return f"| {' | '.join([*padded, cells[-1]])} |"


def word(text: str) -> str:
    """A name or a value in a table: as it is, and as code only where Markdown would make something of it. An editor that hides
    the marks of code would shift the columns."""
    return text if PLAIN.fullmatch(text) or not text else f"`{text}`"


def cut(text: str, width: int) -> str:
    """A text in one line of at most so many characters, ended between words."""
    text = " ".join(text.split())
    if len(text) <= width:
        return text
    head = text[: width - 1].rpartition(" ")[0] or text[: width - 1]
    return f"{head.rstrip(',.;:')}…" if head.count("`") % 2 == 0 else f"{head.rpartition('`')[0].rstrip()}…"
