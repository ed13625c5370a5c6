"""`torch-handbook bench FILE --line N[:M]`: time some lines of a file, with what they need run first."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markdown import Markdown
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from torch_handbook_worker import protocol
from torch_handbook_worker.protocol import BenchmarkRequest, BenchmarkResult, InterpretRequest

from torch_handbook import interpreter
from torch_handbook.cli.project import import_root, workspace_of
from torch_handbook.cli.reading import read
from torch_handbook.engine import run as engine
from torch_handbook.engine.facts import Facts
from torch_handbook.features import benchmark, report
from torch_handbook.history import History
from torch_handbook.interpreter import Interpreter
from torch_handbook.settings import Settings, load
from torch_handbook.source.file import File
from torch_handbook.worker_client import WorkerClient, WorkerError, run_blocking
from torch_handbook.workspace import Workspace


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser("bench", help="time some lines of a file, with what they need run first")
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--line", type=lines, required=True, metavar="N[:M]", help="the line of a statement, or a range of lines")
    parser.add_argument("--python", default="", help="the Python that has your torch")
    parser.add_argument("--seconds", type=float, default=None, help="the time limit for all of it")
    parser.add_argument("--output-format", choices=("text", "markdown"), default="text")


def lines(words: str) -> tuple[int, int]:
    """ "12" or "12:15" """
    first, _, last = words.partition(":")
    if not first.isdigit() or (last and not last.isdigit()) or int(first) < 1 or (last and int(last) < int(first)):
        raise argparse.ArgumentTypeError(f"{words!r} is not a line such as 12, nor a range of lines such as 12:15")
    return int(first), int(last or first)


def run(options: argparse.Namespace) -> int:
    """0: timed; 1: the code failed or nothing could be timed; 2: misuse."""
    source = read(options.file)
    if source.problem is not None:
        return refuse(source.problem)
    root = workspace_of(options.file.resolve())
    settings, problems = load(root)
    for problem in problems:
        print(f"torch-handbook: {problem}", file=sys.stderr)
    found = interpreter.find(settings.python, root, os.environ, option=options.python, near=options.file.resolve())
    why = unusable(found)
    if why is not None or found is None:
        return refuse(why or "no Python was found")
    folder = import_root(root)
    file = File.read(str(options.file.resolve()), source.content, None, Workspace((str(folder),)))
    return timed(found, file, settings, options, [str(folder)])


def timed(found: Interpreter, file: File, settings: Settings, options: argparse.Namespace, roots: list[str]) -> int:
    """Run it under a progress bar and print the report."""
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), console=Console(stderr=True), transient=True
    )
    with bar:
        task = bar.add_task("looking at the file", total=100)

        def move(progress: protocol.Progress) -> None:
            bar.update(task, description=progress.message, completed=progress.percentage)

        async def work(client: WorkerClient) -> tuple[BenchmarkRequest, BenchmarkResult]:
            request = await asked(client, file, settings, options, roots)
            move(protocol.Progress("importing torch", 5))
            return request, await client.benchmark(request, move)

        try:
            request, result = run_blocking(work, found.path)
        except WorkerError as error:
            return refuse(str(error), 1)
    history = History.of_user()
    outcome = report.report_of(request, result, report.earlier(history.last, request, result))
    history.add(request.path, result)
    show(outcome, options.output_format)
    return 0 if outcome.ok else 1


async def asked(
    client: WorkerClient, file: File, settings: Settings, options: argparse.Namespace, roots: list[str]
) -> BenchmarkRequest:
    """The request, with what the worker knows of the file's shapes."""
    try:
        facts = Facts(
            await client.interpret(InterpretRequest(file.path, file.text.content, roots, libraries=[*settings.libraries]))
        )
    except WorkerError:
        facts = Facts.none()
    findings = engine.check(file, facts, settings)
    seconds = options.seconds if options.seconds is not None else settings.benchmark_seconds
    return benchmark.request_for(file, facts, findings, options.line, roots, seconds)


def unusable(found: Interpreter | None) -> str | None:
    """Why a benchmark cannot run in this Python."""
    if found is None:
        return "no Python was found; name one with --python"
    if found.problem is None and found.torch_path is None and found.how != "--python":
        return f"no torch was found in {found.path} ({found.how}); name the Python that has it with --python"
    return found.problem


def show(outcome: report.Report, output_format: str) -> None:
    if output_format == "markdown":
        print(outcome.markdown, end="")
    else:
        Console().print(Markdown(outcome.markdown))


def refuse(sentence: str, status: int = 2) -> int:
    print(f"torch-handbook bench: {sentence}", file=sys.stderr)
    return status
