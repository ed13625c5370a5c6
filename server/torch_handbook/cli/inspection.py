"""Asking a worker about many files from the command line: one worker for all of them, one sentence when there is none."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from torch_handbook_worker.protocol import InterpretRequest, InterpretResult

from torch_handbook.cli.files import SourceFile
from torch_handbook.cli.project import home_of, import_root, workspace_of
from torch_handbook.engine.facts import Facts
from torch_handbook.settings import load

SECONDS = 20.0  # for one file: nobody waits in front of a cursor


@dataclass
class Asking:
    """The workers that were started, one for each Python; whoever is done with them closes this."""

    answers: dict[str, Iterator[InterpretResult]] = field(default_factory=dict[str, Iterator[InterpretResult]])
    waiting: list[InterpretRequest] = field(default_factory=list[InterpretRequest])
    said: set[str] = field(default_factory=set[str])

    def facts(self, python: str | None, path: str, content: str, root: Path, libraries: Sequence[str] = ()) -> Facts:
        """What a worker in this Python says of a text; nothing without one, or where the text does not speak of torch."""
        if python is None or "torch" not in content:
            return Facts.none()
        if python not in self.answers:
            from torch_handbook.worker_client import interpret_files

            self.answers[python] = interpret_files(python, iter(self.waiting.pop, None))
        where = str(Path(path).absolute())
        self.waiting.append(InterpretRequest(where, content, [str(root)], SECONDS, libraries=[*libraries]))
        result = next(self.answers[python])
        if result.problem and result.problem not in self.said:
            complain(result.problem, path)
            self.said.add(result.problem)
        return Facts(result) if result.problem is None else Facts.none()

    def close(self) -> None:
        """End the workers."""
        for answers in self.answers.values():
            getattr(answers, "close")()  # noqa: B009 - an iterator that is a generator
        self.answers.clear()


def python_for(option: str, setting: str, root: Path) -> str | None:
    """The Python that is asked in a project; where there is none, what stands in the way is said."""
    from torch_handbook import interpreter

    option = str(Path(option).absolute()) if option and Path(option).exists() else option
    chosen = interpreter.find(setting, root, os.environ, option=option)
    problem = why_not(chosen)
    if chosen is None or problem is not None:
        complain(problem or "no Python with torch was found")
        return None
    return chosen.path


def why_not(chosen: object) -> str | None:
    """Why an interpreter cannot be asked, as a sentence."""
    from torch_handbook.interpreter import Interpreter

    if not isinstance(chosen, Interpreter):
        return None
    if chosen.problem is not None:
        return chosen.problem
    return None if chosen.torch_path is not None else f"no torch is installed in {chosen.path} ({chosen.how})"


def complain(problem: str, path: str = "") -> None:
    where = f" in {path}" if path else ""
    print(f"torch-handbook: findings that need torch itself are left out{where}: {problem}", file=sys.stderr)


def inspected(sources: Sequence[SourceFile], python: str) -> Iterator[Facts]:
    """The facts of each file, in order; none for all of them where no worker answers. Each is asked about in its own project."""
    asking, pythons, libraries = Asking(), dict[Path, "str | None"](), dict[Path, Sequence[str]]()
    try:
        for source in sources:
            root = workspace_of(Path(source.path))
            if "torch" in source.content and root not in pythons:
                settings = load(home_of(root))[0]
                pythons[root], libraries[root] = python_for(python, settings.python, root), settings.libraries
            yield asking.facts(pythons.get(root), source.path, source.content, import_root(root), libraries.get(root, ()))
    finally:
        asking.close()
