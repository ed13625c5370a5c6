"""`torch-handbook doctor`: what is found (Python, torch, device), what is missing, and what to do about it."""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text
from torch_handbook_worker.protocol import Hello, InterpretRequest, Machine

from torch_handbook import interpreter
from torch_handbook.interpreter import Interpreter
from torch_handbook.settings import Settings, load
from torch_handbook.version import __version__
from torch_handbook.worker_client import WorkerClient, WorkerError, run_blocking

SAMPLE = "import torch\nx = torch.zeros(2, 3)\ny = x @ torch.zeros(3, 4)\n"
SIGNS = {True: ("✓", "green"), False: ("✗", "red"), None: ("·", "dim")}


@dataclass(frozen=True)
class Line:
    """One thing that was looked at: whether it is well (None: only said), and what to do if not."""

    good: bool | None
    words: str
    advice: str = ""


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser("doctor", help="say what is found, what is missing, and what to do about it")
    parser.add_argument("folder", nargs="?", type=Path, default=Path(), help="the workspace; the current folder by default")
    parser.add_argument("--python", default="", help="the Python that has your torch")
    parser.add_argument("--torch", action="store_true", help="only say, by the exit status, whether a Python with torch is there")


def run(options: argparse.Namespace) -> int:
    """0: all is well; 1: something is missing; 2: misuse."""
    root = options.folder.resolve()
    if not root.is_dir():
        print(f"torch-handbook doctor: there is no folder {options.folder}", file=sys.stderr)
        return 2
    settings, problems = load(root)
    if options.torch:
        found = interpreter.find(settings.python, root, os.environ, option=options.python)
        return 0 if found and found.torch_path else 1
    lines = [Line(None, f"Torch Handbook {__version__} on Python {platform.python_version()}, {platform.platform(terse=True)}")]
    lines += [Line(False, problem, "mend it in pyproject.toml") for problem in problems]
    lines += examined(settings, root, options.python)
    console = Console(highlight=False)
    for line in lines:
        sign, colour = SIGNS[line.good]
        console.print(Text.assemble((f"{sign} ", colour), line.words), soft_wrap=True)
        if line.advice:
            console.print(Text(f"  → {line.advice}", style="yellow"), soft_wrap=True)
    return 1 if any(line.good is False for line in lines) else 0


def examined(settings: Settings, root: Path, option: str) -> list[Line]:
    """The interpreter, and what it answers when it is asked."""
    found = interpreter.find(settings.python, root, os.environ, option=option)
    others = [item for item in interpreter.candidates(settings.python, root, os.environ, option=option) if item != found]
    passed_over = [Line(None, f"also looked at: {described(item)}") for item in others]
    if found is None:
        return [Line(False, "no Python was found", "install Python and torch, or set `python` to the one that has them")]
    if found.problem is not None:
        return [Line(False, found.problem, "correct the path, or leave it out to have one found"), *passed_over]
    return [Line(True, f"Python: {described(found)}"), *passed_over, *answers(found)]


def described(found: Interpreter) -> str:
    torch = f"torch {found.torch_version}" if found.torch_path else found.problem or "no torch"
    return f"{found.path} ({found.how}): {torch}"


def answers(found: Interpreter) -> list[Line]:
    """Start a worker in it, look at a few lines with its torch, and name the device."""
    lines: list[Line] = []

    async def work(client: WorkerClient) -> None:
        hello, seconds = await clocked(client.start())
        lines.append(Line(True, f"worker: answered in {seconds * 1000:.0f} ms, Python {hello.python}"))
        lines.append(torch_line(hello))
        if hello.torch_path is None:
            return
        result, seconds = await clocked(client.interpret(InterpretRequest("sample.py", SAMPLE)))
        if result.problem is not None:
            lines.append(Line(False, result.problem, f"see whether `{found.path} -c 'import torch'` works"))
            return
        lines.append(
            Line(bool(result.facts), f"tensor shapes: {len(result.facts)} facts in {seconds:.1f} s, torch's import included")
        )
        lines.append(device_line(await client.machine()))

    try:
        run_blocking(work, found.path)
    except WorkerError as error:
        lines.append(Line(False, str(error), "see whether that Python starts by itself; the lines above name others"))
    return lines


async def clocked(work: Any) -> tuple[Any, float]:
    start = time.perf_counter()
    return await work, time.perf_counter() - start


def torch_line(hello: Hello) -> Line:
    if hello.torch_path is None:
        advice = (
            f"install it with `{hello.executable} -m pip install torch`, or name the Python that has it in the setting `python`"
        )
        return Line(False, "torch: not installed there, so there are no shapes and no benchmarks; the handbook works", advice)
    return Line(True, f"torch {hello.torch} in {hello.torch_path}")


def device_line(machine: Machine) -> Line:
    cuda = f", CUDA {machine.cuda}" if machine.cuda else ""
    return Line(True, f"benchmarks run on {machine.device} ({machine.device_name}){cuda}, {machine.threads} threads")
