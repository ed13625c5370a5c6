"""`torch-handbook try FILE`: open a file with the real server and print what an editor would show."""

from __future__ import annotations

import argparse
import ast
import asyncio
import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch_handbook.cli.screen import Screen
    from torch_handbook.lsp.client import Editor, Hint

EXAMPLE = Path(__file__).resolve().parents[3] / "tests" / "scripts" / "train_shapes.py"
API_USE = re.compile(r"\b(?:torch|th|nn|F|optim)(?:\.[A-Za-z_]\w*)+")
HOVERS, COMPLETIONS = 3, 10
NAMES = 60  # of the file that are looked up
ATTEMPTS = 4  # at a line that can be timed
FACTS_SECONDS = 60.0  # the first import of torch on a cold disk takes its time


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser("try", help="show what an editor would show, on a file of yours or the shipped script")
    parser.add_argument("file", nargs="?", type=Path, default=EXAMPLE, metavar="FILE")
    parser.add_argument("--python", default="", help="the Python that has your torch")
    parser.add_argument("--no-benchmark", action="store_true", help="run no code")
    parser.add_argument("--save", type=Path, metavar="SVG", help="write a picture of it, too")


def run(options: argparse.Namespace) -> int:
    """Print hovers, completions, diagnostics with their fixes, shapes and a benchmark; 2 where the file cannot be read."""
    try:
        options.file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        if options.file == EXAMPLE:  # it comes with the repository only
            print("torch-handbook try: name a Python file of yours, such as train.py", file=sys.stderr)
            return 2
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        print(f"torch-handbook try: {options.file} cannot be read: {reason}", file=sys.stderr)
        return 2
    from torch_handbook.cli.screen import Screen
    from torch_handbook.lsp.client import Editor

    screen = Screen(options.file, record=options.save is not None)
    # The server takes a relative setting from the workspace; what is typed here is relative to where it is typed.
    python = str(Path.cwd() / options.python) if "/" in options.python else options.python
    editor = Editor(options.file, {"python": python})
    try:
        asyncio.run(show(editor, screen, options))
    except RuntimeError as error:  # the server ended; what it wrote on stderr says why
        print(f"torch-handbook try: {error}\n{editor.stderr}", file=sys.stderr)
        return 1
    return 0


async def show(editor: Editor, screen: Screen, options: argparse.Namespace) -> None:
    """The whole tour, over one server."""
    from torch_handbook.cli.project import workspace_of

    with screen.waiting("starting the server, reading your torch …"):
        version = await editor.open(workspace_of(options.file))
        await editor.settle(FACTS_SECONDS)
    screen.title(version)
    for message in editor.messages:
        screen.message(message)
    await show_diagnostics(editor, screen)
    await show_hovers(editor, screen)
    await show_completions(editor, screen)
    hints = await editor.hints()
    screen.shapes(editor.text, hints)
    if not options.no_benchmark:
        await show_benchmark(editor, screen, hints)
    await editor.close()
    screen.farewell(shutil.which("nvim"))
    if options.save:
        screen.save(options.save)


async def show_diagnostics(editor: Editor, screen: Screen) -> None:
    screen.heading("Diagnostics", "what is wrong, where, and the quick fix")
    found = await editor.findings()
    if not found:
        screen.note("nothing to say about this file")
    for row in found:
        screen.diagnostic(editor.text, row)


async def show_hovers(editor: Editor, screen: Screen) -> None:
    """The pages with the most pitfalls, in the order of the file: they are what no other server has."""
    screen.heading("Hover", "the handbook on the names in this file")
    found = [(name, line, await editor.hover(line, character)) for name, line, character in places(editor.text)[:NAMES]]
    found = [row for row in found if "⚠" in row[2]]
    most = sorted(found, key=lambda row: -row[2].count("⚠"))[: 1 if screen.brief else HOVERS]
    for name, line, markdown in found:
        if (name, line, markdown) in most:
            screen.hover(name, line, markdown)
    if not found:
        screen.note("no torch name with a handbook page in this file")


def places(text: str) -> list[tuple[str, int, int]]:
    """Where torch's names are used, the rarest kinds of place not twice: (name, line, character of its last part), from 0."""
    found: dict[str, tuple[str, int, int]] = {}
    for number, line in enumerate(text.split("\n")):
        for use in API_USE.finditer(line.split("#")[0]):
            if not line.lstrip().startswith(("import", "from")):
                found.setdefault(use.group(), (use.group(), number, use.end() - 1))
    return list(found.values())


async def show_completions(editor: Editor, screen: Screen) -> None:
    prefix = next((alias for alias in ("nn.", "torch.", "F.") if re.search(rf"\b{re.escape(alias)}", editor.text)), None)
    if prefix is None:
        return
    offers = await editor.complete(prefix)
    marked = [row for row in offers if "⚠" in row.mark]
    screen.heading("Completion", f"after “{prefix}”: {len(offers)} names, those with known pitfalls are marked")
    screen.completions((marked or offers)[:COMPLETIONS])


async def show_benchmark(editor: Editor, screen: Screen, hints: list[Hint]) -> None:
    """Time the first line that can be timed by itself; where none can, the reason of the first is enough."""
    reasons: list[str] = []
    for line in benchmark_lines(editor, hints)[:ATTEMPTS]:
        result = await benchmark(editor, screen, line)
        if result.get("ok"):
            screen.heading("Benchmark", f"line {line + 1}, on what you have; the only time that your code is run")
            screen.code(editor.text, line)
            screen.report(str(result.get("report")))
            return
        reasons.append(f"line {line + 1}: {result.get('summary') or result.get('problem') or 'no report came back'}")
    if reasons:
        screen.heading("Benchmark", "no line of this file could be timed by itself")
        screen.note(reasons[0])


async def benchmark(editor: Editor, screen: Screen, line: int) -> dict[str, Any]:
    """What the server answers to a benchmark of one line, with a progress bar meanwhile."""
    with screen.progress() as report:
        editor.on_progress = report
        lines = {"start": {"line": line, "character": 0}, "end": {"line": line, "character": 0}}
        return await editor.command("torch-handbook.benchmark", editor.document.uri, lines, {"show": False})


def benchmark_lines(editor: Editor, hints: list[Hint]) -> list[int]:
    """Lines worth timing, the best first: one with a faster alternative, then calls that make tensors of known shape.

    Those in functions with known inputs come first: to time the others may mean to load a data set.
    """
    found = [item.range.start.line for item in editor.diagnostics if item.code == "einsum-with-bmm-equivalent"]
    hinted = {hint.line for hint in hints}
    try:
        tree = ast.parse(editor.text)
    except (SyntaxError, ValueError):
        return found
    calls = {
        node.lineno - 1
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and node.lineno - 1 in hinted
    }
    inside = [
        range(node.lineno - 1, node.end_lineno or node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.lineno - 1 in hinted
    ]
    known = sorted(line for line in calls if any(line in lines for lines in inside))
    return list(dict.fromkeys([*found, *known, *sorted(calls)]))
