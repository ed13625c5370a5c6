"""Checking one file after another, in this process or in several: what is found, and what the file is after its fixes."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from torch_handbook.cli.files import SourceFile
from torch_handbook.cli.inspection import Asking
from torch_handbook.cli.project import import_root
from torch_handbook.cli.report import Report
from torch_handbook.engine import registry
from torch_handbook.engine import run as engine
from torch_handbook.engine.baseline import Entry, Known, unknown
from torch_handbook.engine.facts import Facts
from torch_handbook.engine.fixes import TURNS, fixed
from torch_handbook.engine.rule import Finding, Fix, Severity
from torch_handbook.engine.target import Target
from torch_handbook.settings import Settings
from torch_handbook.source.file import File
from torch_handbook.source.text import Span
from torch_handbook.workspace import Workspace

SYNTAX = "syntax-error"
FORKS = sys.platform == "linux"
# What Python took to after 3.10: quotes within f-strings, `type X = …`, `def f[T](…)`, `except A, B:`.
NEWER = re.compile(
    r"\b(?:[rR]?[fFtT]|[fFtT][rR])['\"]|^\s*type\s+\w|^\s*(?:async\s+)?(?:def|class)\s+\w+\s*\[|^\s*except\b[^(:]*,"
)
TREES = 6_000_000  # bytes of the files whose trees are kept, since a whole package is gone through: some 300 MB of memory
# How many characters about torch are worth a process of their own. Measured: 0.2 s of checking for 100,000, and 1 s where torch
# is asked; 0.1 s to fork a process, 0.6 s to start one, 2 s for a worker to import torch.
FORKED, STARTED, WITH_TORCH = 200_000, 600_000, 400_000
MOST_WITH_TORCH = 4  # each holds some 400 MB


@dataclass(frozen=True)
class How:
    """What is asked for."""

    hints: bool = False
    fix: bool = False
    unsafe: bool = False  # whether fixes are made that should be looked at


@dataclass(frozen=True)
class Task:
    """One file to check."""

    source: SourceFile
    settings: Settings
    root: Path
    python: str | None = None  # who is asked about tensors
    known: Known = field(default_factory=dict[Entry, int])
    target: Target = field(default_factory=Target)  # the torch that it is for


@dataclass(frozen=True)
class Examined:
    """What came out: the text after its fixes, what is left to say of it, and which rules were at work."""

    content: str
    findings: tuple[Finding, ...] = ()
    fixed: tuple[str, ...] = ()  # the ids of what was mended
    again: Mapping[Entry, int] = field(default_factory=dict[Entry, int])  # what was known before and is still there
    looked: frozenset[str] = frozenset()  # the names that were looked for
    broken: Finding | None = None  # the syntax error of a script about torch; no comment, setting or baseline silences it
    complaints: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[Finding, ...]:
        found = (*self.findings, self.broken) if self.broken else self.findings
        return tuple(sorted(found, key=lambda finding: finding.span))


Ask = Callable[[str], Facts]


@dataclass
class Surroundings:
    """What several files share: the workers, and the modules of the workspace that they are in, so that each is read once."""

    asking: Asking = field(default_factory=Asking)
    workspaces: dict[Path, Workspace] = field(default_factory=dict[Path, Workspace])

    def workspace(self, root: Path) -> Workspace:
        """The modules that the files of a project can import."""
        root = import_root(root)
        if root not in self.workspaces:
            self.workspaces = {root: Workspace((str(root),), base=Path.cwd(), kept=TREES)}  # the last one is through
        return self.workspaces[root]

    def ask(self, task: Task) -> Ask:
        where, libraries = task.source.path, task.settings.libraries
        return lambda content: self.asking.facts(task.python, where, content, task.root, libraries)


def examine(task: Task, how: How, around: Surroundings) -> Examined:
    """The findings of one file, and its text after as many turns of fixes as change it."""
    content, mended = task.source.content, list[str]()
    turns = TURNS if how.fix else 0
    ask, workspace = around.ask(task), around.workspace(task.root)
    while True:
        file = File.read(task.source.path, content, None, workspace)
        facts = Facts.none() if file.text.line_count > task.settings.max_lines else ask(content)
        found = findings_in(file, facts, task, how)
        if file.problem is not None or turns == 0:
            break
        fixes = [(finding, fix) for finding in found.new for fix in usable(finding, how)[:1]]
        content, applied = fixed(file.text, [fix for _, fix in fixes])
        if not applied:
            break
        made = {id(fix) for fix in applied}
        mended += [finding.id for finding, fix in fixes if id(fix) in made]
        turns -= 1
    endless = how.fix and turns == 0 and any(usable(finding, how) for finding in found.new)
    error = syntax_error(file)
    told = task.source.form.is_script and "torch" in content and not (error and may_be_newer(file.text.line(error.span.line)))
    about = error if told else None
    complaints = [f"{file.path}: the fixes come to no end: look at it"] if endless else []
    if error and not told:
        complaints.append(f"{Report(task.source, file.text, ()).where(error.span)}: {error.message}")
    return Examined(content, found.new, tuple(mended), found.again, found.looked, about, tuple(complaints))


@dataclass(frozen=True)
class Found:
    new: tuple[Finding, ...]
    again: Mapping[Entry, int]
    looked: frozenset[str]


def may_be_newer(line: str) -> bool:
    """Whether a line that does not parse may be right in a Python that is newer than the one that runs this."""
    return sys.version_info < (3, 14) and NEWER.search(line) is not None


def findings_in(file: File, facts: Facts, task: Task, how: How) -> Found:
    """What is to be said of a text. Hints are for editors, where they are quiet: here they are shown only on demand."""
    if file.text.line_count > task.settings.max_lines:
        return Found((), {}, frozenset())
    new, again = unknown(engine.check(file, facts, task.settings, target=task.target), file.text, task.known)
    shown = tuple(finding for finding in new if how.hints or finding.severity is not Severity.HINT)
    return Found(shown, again, engine.looked_for(file.path, facts, task.settings))


def usable(finding: Finding, how: How) -> Sequence[Fix]:
    return [fix for fix in finding.fixes if how.unsafe or fix.safe]


def syntax_error(file: File) -> Finding | None:
    """What stands in the way of reading a file: silence would be taken for a clean one.

    It is a finding in a script that speaks of torch. Others have their own linters, what a cell of a notebook holds may be a
    command of IPython, and some lines a newer Python takes: of these it is said beside the findings.
    """
    if (problem := file.parsed.problem) is None:
        return None
    python = ".".join(map(str, sys.version_info[:2]))
    words = f"{problem.message} (read as Python {python}): only what can be read around it was checked"
    return Finding(Span(*problem.position, *problem.position), words, severity=Severity.ERROR, rule=SYNTAX)


def examined(tasks: Sequence[Task], how: How, jobs: int) -> Iterator[Examined]:
    """What came out of each file, in their order. `jobs`: how many processes; 0 for what pays."""
    count = min(jobs or fitting(tasks), len(tasks))
    if count > 1:
        yield from in_processes(tasks, how, count)
        return
    around = Surroundings()
    try:
        for task in tasks:
            yield examine(task, how, around)
    finally:
        around.asking.close()


def fitting(tasks: Sequence[Task]) -> int:
    """How many processes pay for so much text."""
    about = sum(len(task.source.content) for task in tasks if "torch" in task.source.content)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if any(task.python for task in tasks):
        return max(min(about // WITH_TORCH, cores, MOST_WITH_TORCH), 1)
    return max(min(about // (FORKED if FORKS else STARTED), cores), 1)


def in_processes(tasks: Sequence[Task], how: How, count: int) -> Iterator[Examined]:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    # A forked process has the rules loaded already; elsewhere forking is not to be had, or not safe.
    context = get_context("fork" if FORKS else "spawn")
    registry.rules()
    with ProcessPoolExecutor(count, context) as pool:
        yield from pool.map(partial(examined_there, how), tasks)


OWN = Surroundings()  # of a process that was started for this; its workers end with it


def examined_there(how: How, task: Task) -> Examined:
    return examine(task, how, OWN)
