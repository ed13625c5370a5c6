"""The code cells of a notebook as one Python text, line for line: names and tensors flow from cell to cell."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate

from torch_handbook.source.text import LINE_END, Text

# The magics whose cell is Python all the same.
PYTHON_CELLS = frozenset({"capture", "memit", "mprun", "lprun", "prun", "time", "timeit"})
# What IPython adds to Python where a statement begins: %magic, !shell, ?help; help? behind a name; name = %magic, name = !shell.
MAGIC = re.compile(r"(?P<head>[ \t]*)(?P<rest>[%!?].*|[\w.*]+\?{1,2}\s*)")
ASSIGNED = re.compile(r"(?P<head>[ \t]*[\w., \t\[\]'\"]+=[ \t]*)(?P<rest>[%!][^=].*)")
# What runs a statement in the notebook's own names, so that they are known below, and what stands in its place in the text: a
# branch that is always taken, as wide, and spelt as nobody would.
TIMED = re.compile(r"(?P<head>[ \t]*)%(?:time|prun) (?P<rest>[^\s%!?-].*)")
TAKEN = {"time": "if.1: ", "prun": "if.2: "}
TITLE = "# %%"  # what begins a cell in a script, too


@dataclass(frozen=True)
class Place:
    """A line of a cell: which of the cells that were joined, from 0, and the line in it, from 1."""

    cell: int
    line: int


@dataclass(frozen=True)
class Notebook:
    """Cells and the text that they make together: each begins with a line of its own, and what is not Python is commented out."""

    cells: tuple[str, ...]

    @cached_property
    def title(self) -> str:
        """What the line before each cell begins with, and no line of a cell."""
        return unused(TITLE, "%", self.cells)

    @cached_property
    def comment(self) -> str:
        """What stands before all that is not Python, and nowhere else."""
        return unused("#! ", "! ", self.cells)

    @cached_property
    def content(self) -> str:
        """The text of all cells."""
        return "".join(f"{self.title} {number}\n{part}{end_of(part)}" for number, part in enumerate(self._parts, 1))

    @cached_property
    def _parts(self) -> list[str]:
        return [python_of(cell, self.comment) for cell in self.cells]

    @cached_property
    def firsts(self) -> list[int]:
        """The line of the text at which each cell begins, behind its title."""
        counts = [Text(part).line_count + 1 for part in self._parts]
        return [end - count + 2 for end, count in zip(accumulate(counts), counts, strict=True)]

    def last(self, cell: int) -> int:
        """The last line of a cell in the text."""
        return self.firsts[cell] + Text(self._parts[cell]).line_count - 1

    def place(self, line: int) -> Place:
        """Where a line of the text is; a title counts as the first line of its cell."""
        cell = max(bisect_right(self.firsts, line + 1) - 1, 0)
        return Place(cell, max(line - self.firsts[cell] + 1, 1) if self.firsts else 1)

    def split(self, content: str) -> list[str]:
        """The cells that a changed text is made of, with what is not Python as it was. Titles must have been left alone."""
        parts = re.split(rf"^{re.escape(self.title)} \d+\n", content, flags=re.MULTILINE)[1:]
        pairs = zip(self.cells, parts, strict=True)
        return [restored(part.removesuffix(end_of(cell)), self.comment, timed=not has_taken(cell)) for cell, part in pairs]


def end_of(part: str) -> str:
    """What ends the last line of a cell; behind a carriage return a line feed would be the other half of its line end."""
    return "\n\n" if part.endswith("\r") else "\n"


def unused(mark: str, more: str, cells: Sequence[str]) -> str:
    """A mark made longer until no cell has it."""
    while any(mark in cell for cell in cells):
        mark += more
    return mark


@lru_cache(maxsize=512)
def python_of(cell: str, comment: str) -> str:
    """A cell with what IPython adds to Python commented out; the lines stay where they are."""
    lines = LINE_END.split(cell)
    ends = [*LINE_END.findall(cell), ""]
    if is_foreign(lines):
        lines = [f"{comment}{line}" if line.strip() else line for line in lines]
    elif not is_python(cell):
        goes_on = False
        for number, line in enumerate(lines):
            changed = f"{comment}{line}" if goes_on else (timed(line) if not has_taken(cell) else "") or silenced(line, comment)
            if goes_on or (changed != line and begins_statement(lines[:number])):
                lines[number] = changed
                goes_on = line.endswith("\\")  # IPython reads a command on behind a backslash
    return "".join(line + end for line, end in zip(lines, ends, strict=True))


def is_foreign(lines: Iterable[str]) -> bool:
    """Whether a cell is in another language: %%bash, %%html, %%writefile."""
    first = next((line for line in lines if line.strip()), "")
    return first.startswith("%%") and first[2:].split(" ")[0].strip() not in PYTHON_CELLS


def is_python(cell: str) -> bool:
    try:
        ast.parse(cell)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def silenced(line: str, comment: str) -> str:
    """A line as Python takes it: a statement that does nothing where all of it is IPython's, and a value that nobody knows."""
    for pattern, stands in ((MAGIC, "pass"), (ASSIGNED, "_")):
        if found := pattern.fullmatch(line):
            return f"{found['head']}{stands}  {comment}{found['rest']}"
    return line


def timed(line: str) -> str:
    """A line that times a simple statement, as Python takes it; "" for another one."""
    found = TIMED.fullmatch(line)
    if found is None or found["rest"].endswith("\\"):
        return ""
    changed = f"{found['head']}{TAKEN[line.lstrip()[1:5]]}{found['rest']}"
    return changed if is_python(changed.lstrip()) else ""


def has_taken(cell: str) -> bool:
    """Whether a cell is one of the few whose own text reads like ours."""
    return any(mark in cell for mark in TAKEN.values())


def begins_statement(before: Sequence[str]) -> bool:
    """Whether a statement begins behind these lines: no bracket, string or backslash is open."""
    if before and before[-1].endswith("\\"):
        return False
    try:
        for _ in tokenize.generate_tokens(io.StringIO("\n".join(before) + "\n").readline):
            pass
    except tokenize.TokenError:
        return False
    except (SyntaxError, IndentationError):
        return True
    return True


def restored(part: str, comment: str, *, timed: bool = True) -> str:
    """The cell that `python_of` made a text of."""
    lines = re.split(r"(\r\n|\r|\n)", part)
    return "".join(as_it_was(line, comment, timed) if index % 2 == 0 else line for index, line in enumerate(lines))


def as_it_was(line: str, comment: str, timed: bool) -> str:
    for name, mark in TAKEN.items() if timed else ():
        if line.lstrip(" \t").startswith(mark):
            return line.replace(mark, f"%{name} ", 1)
    head, mark, rest = line.partition(comment)
    if not mark:
        return line
    return re.sub(r"(pass|_)  $", "", head) + rest


def is_shown(statement: ast.Expr, tree: ast.Module, text: Text) -> bool:
    """Whether a statement is the last one of a cell, of a notebook or of a script with `# %%`: its value is shown."""
    siblings = tree.body
    if text.line(statement.lineno).lstrip(" \t").startswith(tuple(TAKEN.values())):
        return True  # what is timed
    if statement not in siblings:
        return False
    position = siblings.index(statement)
    until = siblings[position + 1].lineno if position + 1 < len(siblings) else text.line_count + 1
    if any(text.line(line).startswith(TITLE) for line in range((statement.end_lineno or statement.lineno) + 1, until)):
        return True
    return position + 1 == len(siblings) and has_cells(text)


def has_cells(text: Text) -> bool:
    return any(line.startswith(TITLE) for line in LINE_END.split(text.content))
