"""Asking a worker about many files from the command line: one worker for all of them, one sentence when there is none."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from torch_handbook_worker.protocol import InterpretRequest, InterpretResult

from torch_handbook.cli.files import SourceFile
from torch_handbook.engine.facts import Facts

SECONDS = 20.0  # for one file: nobody waits in front of a cursor


def inspected(sources: Sequence[SourceFile], python: str, setting: str, root: Path) -> Iterator[Facts]:
    """The facts of each file, in order; none for all of them where no worker answers. What stands in the way is said once."""
    from torch_handbook import interpreter

    if not any("torch" in source.content for source in sources):
        yield from (Facts.none() for _ in sources)
        return
    option = str(Path(python).absolute()) if python and Path(python).exists() else python
    chosen = interpreter.find(setting, root, os.environ, option=option)
    problem = why_not(chosen)
    if chosen is None or problem is not None:
        complain(problem or "no Python with torch was found")
        yield from (Facts.none() for _ in sources)
        return
    yield from asked(sources, chosen.path, root)


def why_not(chosen: object) -> str | None:
    """Why an interpreter cannot be asked, as a sentence."""
    from torch_handbook.interpreter import Interpreter

    if not isinstance(chosen, Interpreter):
        return None
    if chosen.problem is not None:
        return chosen.problem
    return None if chosen.torch_path is not None else f"no torch is installed in {chosen.path} ({chosen.how})"


def asked(sources: Sequence[SourceFile], python: str, root: Path) -> Iterator[Facts]:
    from torch_handbook.worker_client import interpret_files

    said: set[str] = set()
    for source, result in zip(sources, interpret_files(python, (request(source, root) for source in sources)), strict=True):
        if result.problem and result.problem not in said:
            complain(result.problem, source.path)
            said.add(result.problem)
        yield Facts(result) if result.problem is None else Facts.none()


def request(source: SourceFile, root: Path) -> InterpretRequest:
    """What the worker is asked about one file; nothing in a file that does not speak of torch."""
    text = source.content if "torch" in source.content else ""
    return InterpretRequest(str(Path(source.path).absolute()), text, [str(root)], SECONDS)


def complain(problem: str, path: str = "") -> None:
    where = f" in {path}" if path else ""
    print(f"torch-handbook: findings that need torch itself are left out{where}: {problem}", file=sys.stderr)


def results(sources: Sequence[SourceFile], python: str, setting: str, root: Path) -> Iterator[InterpretResult | None]:
    """The same as `inspected`, as the worker said it."""
    for facts in inspected(sources, python, setting, root):
        yield facts.result
