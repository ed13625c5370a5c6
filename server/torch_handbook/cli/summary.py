"""`torch-handbook summary FILE[:NAME]`: the layers of a network, and the memory that it takes to train it, without running it."""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

from torch_handbook_worker import protocol
from torch_handbook_worker.protocol import SummaryRequest, SummaryResult

from torch_handbook.cli.inspection import python_for
from torch_handbook.cli.project import home_of, import_root, workspace_of
from torch_handbook.cli.reading import read
from torch_handbook.features.model_summary import DEEPEST, page
from torch_handbook.features.wording import memory_of
from torch_handbook.settings import load
from torch_handbook.worker_client import WorkerClient, WorkerError, run_blocking

SIZE = re.compile(r"([A-Za-z_]\w*)=(\d+)")


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser("summary", help="print the layers of a network and the memory that it takes to train it")
    parser.add_argument("file", metavar="FILE[:NAME]", help="NAME is a class, a variable, or a function that makes a network")
    parser.add_argument("--batch", type=number, default=0, metavar="N", help="the batch to measure with")
    parser.add_argument("--size", type=sized, action="append", default=[], metavar="NAME=N", help="a size the file does not give")
    parser.add_argument("--memory", type=bytes_of, default=0, metavar="24GiB", help="say which batch fits into so much memory")
    parser.add_argument("--depth", type=number, default=DEEPEST, metavar="N", help="how deep modules inside others are shown")
    parser.add_argument("--output-format", choices=("text", "markdown", "json"), default="text")
    parser.add_argument("--python", default="", help="the Python that has your torch")


def number(words: str) -> int:
    if not words.isdigit() or int(words) < 1:
        raise argparse.ArgumentTypeError(f"{words!r} is not a number above 0")
    return int(words)


def sized(words: str) -> tuple[str, int]:
    """ "H=224" """
    found = SIZE.fullmatch(words)
    if found is None:
        raise argparse.ArgumentTypeError(f"{words!r} is not a name and a number such as H=224")
    return found[1], int(found[2])


def bytes_of(words: str) -> int:
    """ "24GiB" """
    found = memory_of(words)
    if found is None:
        raise argparse.ArgumentTypeError(f"{words!r} is not an amount of memory such as 24GiB or 800MiB")
    return found


def run(options: argparse.Namespace) -> int:
    """0: measured; 1: it could not be; 2: misuse."""
    path, name = split(options.file)
    source = read(path)
    if source.problem is not None:
        return refuse(source.problem)
    root = workspace_of(path)
    settings, problems = load(home_of(root))
    for problem in problems:
        print(f"torch-handbook: {problem}", file=sys.stderr)
    python = python_for(options.python, settings.python, root)
    if python is None:
        return 2
    absolute = str(path.absolute())
    request = SummaryRequest(
        absolute,
        source.content,
        [str(import_root(root))],
        name,
        dict(options.size),
        options.batch,
        libraries=[*settings.libraries],
    )

    async def work(client: WorkerClient) -> SummaryResult:
        return await client.summary(request)

    try:
        result = run_blocking(work, python)
    except WorkerError as error:
        return refuse(str(error), 1)
    options.memory = options.memory or memory_of(settings.memory) or 0
    return show(result, options)


def split(words: str) -> tuple[Path, str]:
    """A file and a name; a drive letter of Windows is none."""
    head, colon, name = words.rpartition(":")
    is_name = bool(colon) and all(part.isidentifier() for part in name.split(".")) and not Path(words).exists()
    return (Path(head), name) if is_name and len(head) > 1 else (Path(words), "")


def show(result: SummaryResult, options: argparse.Namespace) -> int:
    if options.output_format == "json":
        print(json.dumps(protocol.to_json(result), indent=1))
        return 0 if result.problem is None else 1
    if result.problem is not None:
        return refuse(result.problem, 1)
    if options.output_format == "markdown":
        print(page(result, options.memory, options.depth).markdown, end="")
    else:
        from rich.console import Console
        from rich.markdown import Markdown

        console = Console()
        console.print(Markdown(page(result, options.memory, options.depth, console.width).markdown))
    return 0


def refuse(sentence: str, status: int = 2) -> int:
    print(f"torch-handbook summary: {sentence}", file=sys.stderr)
    return status
