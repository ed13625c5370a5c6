"""What `try` prints: the answers of a language server, drawn in a terminal with rich."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group
from rich.markdown import Markdown
from rich.padding import Padding
from rich.panel import Panel
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.rule import Rule
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from torch_handbook.lsp.client import Found, Hint, Offer

COLOURS = {1: "red", 2: "yellow", 3: "blue", 4: "bright_black"}
WORDS = {1: "error", 2: "warning", 3: "information", 4: "hint"}
HOVER_LINES, REPORT_LINES = 26, 60
CODE_FENCE = re.compile(r"^```", re.MULTILINE)
PICTURE_WIDTH, PICTURE_LINES = 100, 14
WEB_FONT = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)  # a picture should fetch nothing from another host
THEME = "ansi_dark"
MARGIN = 7  # of rich's line numbers


class Screen:
    """A terminal, or the record of one that becomes a picture."""

    def __init__(self, path: Path, record: bool = False) -> None:
        self.path = path
        self.console = Console(record=record, width=PICTURE_WIDTH if record else None, highlight=False)
        self.width = min(self.console.width, PICTURE_WIDTH)
        self.brief = record

    def title(self, version: str | None) -> None:
        words = Text.assemble(("Torch Handbook ", "bold"), (version or "", "dim"), "  on  ", (str(self.path), "cyan"))
        self.console.print(Panel(words, border_style="dim", width=self.width))

    def heading(self, word: str, explanation: str) -> None:
        self.console.print()
        self.console.print(Rule(Text.assemble((word, "bold"), (f"  {explanation}", "dim")), align="left", style="dim"))

    def note(self, words: str) -> None:
        self.console.print(f"  {words}", style="dim")

    def message(self, words: str) -> None:
        self.console.print(Panel(words, border_style="yellow", width=self.width))

    def waiting(self, words: str) -> AbstractContextManager[Any]:
        return self.console.status(words)

    def code(self, text: str, line: int) -> None:
        self.console.print(self._lines(text, line, line))

    def diagnostic(self, text: str, found: Found) -> None:
        """The lines, the squiggle, the words, and the fix as a difference."""
        colour, word = COLOURS[found.severity], WORDS[found.severity]
        self.console.print()
        self.console.print(self._lines(text, found.line, found.line))
        self.console.print(Text(" " * (found.start + MARGIN) + "~" * max(found.end - found.start, 1), style=colour))
        self._under(Text.assemble((f"{word} ", f"bold {colour}"), found.message, (f"  {found.rule}", "dim")))
        for line, message in found.related:
            self._under(Text(f"  line {line + 1}: {message}", style="dim"))
        if found.fix is not None and found.fixed is not None:
            self._under(Text.assemble(("fix  ", "green"), found.fix))
            self._difference(text, found.fixed)

    def _under(self, words: Text) -> None:
        self.console.print(Padding(words, (0, 0, 0, MARGIN)), width=self.width)

    def hover(self, name: str, line: int, markdown: str) -> None:
        """The first lines of a hover: what fits into an editor's window before one scrolls."""
        title = Text.assemble((name, "bold"), (f"  line {line + 1}", "dim"))
        self._page(markdown, HOVER_LINES, "cyan", title)

    def _page(self, markdown: str, limit: int, colour: str, title: Text | None = None) -> None:
        limit = PICTURE_LINES if self.brief else limit
        lines = markdown.split("\n")
        shown = "\n".join(lines[:limit])
        if len(CODE_FENCE.findall(shown)) % 2:
            shown += "\n```"
        rest = f"… and {len(lines) - limit} lines more" if len(lines) > limit else None
        page = Markdown(shown, code_theme=THEME)
        self.console.print(Panel(page, title=title, title_align="left", subtitle=rest, border_style=colour, width=self.width))

    def completions(self, offers: list[Offer]) -> None:
        table = Table(box=None, show_header=False, padding=(0, 2))
        for row in offers:
            table.add_row(Text(row.label, style="bold"), Text(row.detail, style="dim"), Text(row.mark, style="yellow"))
        self.console.print(Padding(table, (0, 0, 0, 2)))

    def shapes(self, text: str, hints: list[Hint]) -> None:
        """The lines that have hints, with the hints in their places."""
        self.heading("Tensor shapes", "computed without running the code")
        if not hints:
            self.note("no shapes: the worker found no torch, or no tensors in this file")
        by_line: dict[int, list[Hint]] = {}
        for hint in hints:
            by_line.setdefault(hint.line, []).append(hint)
        lines = text.split("\n")
        for number in sorted(by_line):
            self.console.print(with_hints(number, lines[number], by_line[number]), overflow="ellipsis", no_wrap=True)

    @contextmanager
    def progress(self) -> Generator[Callable[[str, int], None]]:
        """A bar; what it yields is told a message and a percentage."""
        columns = (TextColumn("  {task.description:<42}"), BarColumn(30), TimeElapsedColumn())
        with Progress(*columns, console=self.console, transient=True) as bar:
            task = bar.add_task("starting", total=100)
            yield lambda message, percentage: bar.update(task, description=message, completed=percentage)

    def report(self, markdown: str) -> None:
        self._page(markdown, REPORT_LINES, "green")

    def farewell(self, nvim: str | None) -> None:
        plugin = Path(__file__).resolve().parents[3] / "editors" / "neovim"
        lines: list[Text] = []
        if nvim and plugin.is_dir():
            here = Path.cwd()
            place = f"$PWD/{plugin.relative_to(here).as_posix()}" if plugin.is_relative_to(here) else str(plugin)
            where = Text(f"  nvim --cmd 'set rtp^={place}' {self.path}", style="cyan")
            lines += [Text("The same in Neovim (0.11 or newer):"), where]
        lines.append(Text("To use it in your editor: README.md, “Install”."))
        self.console.print()
        self.console.print(Group(*lines))

    def save(self, path: Path) -> None:
        path.write_text(WEB_FONT.sub("", self.console.export_svg(title="make try")), encoding="utf-8")

    def _lines(self, text: str, first: int, last: int) -> Syntax:
        numbered = (first + 1, last + 1)
        return Syntax(text, "python", line_numbers=True, line_range=numbered, theme=THEME, background_color="default")

    def _difference(self, before: str, after: str) -> None:
        rows = difflib.unified_diff(before.split("\n"), after.split("\n"), lineterm="", n=0)
        for row in list(rows)[2:]:
            if not row.startswith("@@"):
                style = "green" if row.startswith("+") else "red"
                self.console.print(Text(f"         {row}", style=style), overflow="ellipsis", no_wrap=True)


def with_hints(number: int, line: str, hints: list[Hint]) -> Text:
    """A numbered line with its inlay hints in their places."""
    row, last = Text(f"{number + 1:5}  ", style="dim"), 0
    for hint in sorted(hints, key=lambda hint: hint.character):
        row.append(line[last : hint.character], style="default not dim")
        row.append(hint.label, style="italic magenta not dim")
        last = hint.character
    return row.append(line[last:], style="default not dim")
