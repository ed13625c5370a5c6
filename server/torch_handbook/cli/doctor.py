"""`torch-handbook doctor`: what is found (server, settings, Python, torch, devices), what is missing, and what to do about it."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from torch_handbook import interpreter
from torch_handbook.cli import editors, installation, user_python
from torch_handbook.cli.remark import Remark, without_home
from torch_handbook.settings import load
from torch_handbook.version import __version__

SIGNS = {True: ("✓", "green"), False: ("✗", "red"), None: ("·", "dim")}


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "doctor",
        help="say what is found, what is missing, and what to do about it",
        epilog="The exit status is 0 if all is well, 1 if something is missing or wrong, 2 if the command cannot be understood. "
        "The text may be copied into a report of a problem as it is.",
    )
    parser.add_argument("folder", nargs="?", type=Path, default=Path(), help="the workspace; the current folder by default")
    parser.add_argument("--output-format", choices=("text", "json"), default="text")
    parser.add_argument("--python", default="", help="the Python that has your torch")
    parser.add_argument("--torch", action="store_true", help="only say, by the exit status, whether a Python with torch is there")


def run(options: argparse.Namespace) -> int:
    """0: all is well; 1: something is missing; 2: misuse."""
    root = options.folder.resolve()
    if not root.is_dir():
        print(f"torch-handbook doctor: there is no folder {options.folder}", file=sys.stderr)
        return 2
    if options.torch:
        found = interpreter.find(load(root)[0].python, root, os.environ, option=options.python)
        return 0 if found and found.torch_path else 1
    console = Console(highlight=False)
    remarks: list[Remark] = []
    for remark in looked_at(root, options.python):
        remarks.append(remark)
        if options.output_format == "text":  # line by line, for the worker's torch takes its time
            show(console, remark)
    well = all(remark.good is not False for remark in remarks)
    if options.output_format == "json":
        print(json.dumps({"version": __version__, "ok": well, "remarks": [remark.record() for remark in remarks]}, indent=2))
    return 0 if well else 1


def looked_at(root: Path, python: str) -> Iterator[Remark]:
    """Everything, in the order in which it depends on each other."""
    yield from installation.server()
    chosen, remarks = installation.settings(root)
    yield from remarks
    yield from installation.handbook(chosen.locale)
    yield from installation.folders()
    yield from editors.remarks_on_neovim()
    yield from editors.remarks_on_code()
    yield from user_python.examined(chosen, root, python)


def show(console: Console, remark: Remark) -> None:
    sign, colour = SIGNS[remark.good]
    console.print(Text.assemble((f"{sign} ", colour), without_home(remark.words)), soft_wrap=True)
    if remark.advice:
        console.print(Text(f"  → {without_home(remark.advice)}", style="yellow"), soft_wrap=True)
