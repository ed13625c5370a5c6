"""`torch-handbook check PATH…`: find mistakes in files and folders, without an editor."""

from __future__ import annotations

import argparse
import logging
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from torch_handbook import settings as configuration
from torch_handbook.cli import output
from torch_handbook.cli.files import Misuse, SourceFile, python_files, read
from torch_handbook.cli.output import Report
from torch_handbook.engine import registry
from torch_handbook.engine import run as engine
from torch_handbook.engine.facts import Facts
from torch_handbook.engine.rule import Category, Finding, Severity
from torch_handbook.settings import Settings
from torch_handbook.source.file import File
from torch_handbook.workspace import Workspace

TREES = 3_000_000  # characters whose trees are kept, since a whole package is gone through


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser("check", help="find mistakes in files and folders")
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="a file, a folder, or - for standard input")
    parser.add_argument("--output-format", choices=("text", "json"), default="text")
    parser.add_argument("--no-facts", action="store_true", help="do not ask torch itself: no shapes, no autograd state")
    parser.add_argument("--python", default="", help="the Python that has your torch")
    parser.add_argument("--select", type=listed, help="only these rules, separated by commas")
    parser.add_argument("--ignore", type=listed, help="not these rules, separated by commas")
    parser.add_argument("--hints", action="store_true", help="show hints too, as editors do")


def listed(words: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in words.split(",") if word.strip())


def run(options: argparse.Namespace) -> int:
    """0: nothing found; 1: something found; 2: misuse."""
    logging.basicConfig(level=logging.WARNING, format="torch-handbook: %(message)s", stream=sys.stderr)
    started = time.perf_counter()
    try:
        paths = python_files(options.paths)
        settings, root = settings_for(options)
    except Misuse as error:
        print(f"torch-handbook check: {error}", file=sys.stderr)
        return 2
    sources = list(readable(paths))
    out = output.standard_output()
    workspace = Workspace((str(root),), base=Path.cwd(), kept=TREES)
    reports: list[Report] = []
    for source, facts in zip(sources, facts_of(sources, options, settings, root), strict=True):
        report = check(source, facts, settings, options.hints, workspace)
        reports.append(report)
        if options.output_format == "text":
            output.print_text(report, out)
    if options.output_format == "json":
        print(output.to_json(reports), file=out)
    elif out.isatty():
        print(output.closing(reports, len(sources), time.perf_counter() - started), file=out)
    return 1 if any(report.findings for report in reports) else 0


def settings_for(options: argparse.Namespace) -> tuple[Settings, Path]:
    """The settings of the workspace that the first path lies in, under the command line's; problems are said, not fatal."""
    root = workspace_of(options.paths[0])
    settings, problems = configuration.load(root)
    for problem in problems:
        print(f"torch-handbook: {problem}", file=sys.stderr)
    if options.select is not None:
        settings = replace(settings, select=options.select)
    if options.ignore is not None:
        settings = replace(settings, ignore=(*settings.ignore, *options.ignore))
    refuse_unknown([*(options.select or ()), *(options.ignore or ())])
    return settings, root


def refuse_unknown(names: Sequence[str]) -> None:
    """A misspelt rule on the command line would silently check nothing, or everything."""
    known = registry.finders().keys() | {category.value for category in Category} | {"all"}
    for name in names:
        if name not in known:
            raise Misuse(f"there is no rule called {name}")


def workspace_of(path: Path) -> Path:
    """The nearest folder above that has a pyproject.toml or a repository in it; else the folder itself."""
    start = (Path.cwd() / path).resolve()
    start = start if start.is_dir() else start.parent
    above = (start, *start.parents)
    return next((folder for folder in above if (folder / "pyproject.toml").is_file() or (folder / ".git").exists()), start)


def readable(paths: Sequence[Path]) -> Iterator[SourceFile]:
    """The files that can be read; the others are named on stderr and left out."""
    for path in paths:
        source = read(path, sys.stdin.buffer)
        if source.problem is None:
            yield source
        else:
            print(f"torch-handbook: {source.problem}", file=sys.stderr)


def facts_of(sources: Sequence[SourceFile], options: argparse.Namespace, settings: Settings, root: Path) -> Iterator[Facts]:
    if options.no_facts or not settings.facts:
        return (Facts.none() for _ in sources)
    from torch_handbook.cli.inspection import inspected

    return inspected(sources, options.python, settings.python, root)


def check(source: SourceFile, facts: Facts, settings: Settings, hints: bool, workspace: Workspace) -> Report:
    """The findings of one file. Hints are for editors, where they are quiet: here they are shown only on demand."""
    file = File.read(source.path, source.content, None, workspace)
    if problem := file.parsed.problem:  # silence would be taken for a clean file
        where = f"{source.path}:{problem.position.line}:{problem.position.column + 1}"
        print(f"torch-handbook: {where}: {problem.message}; only what can be read around it was checked", file=sys.stderr)
    found: list[Finding] = [] if file.text.line_count > settings.max_lines else engine.check(file, facts, settings)
    return Report(source.path, file.text, tuple(item for item in found if hints or item.severity is not Severity.HINT))
