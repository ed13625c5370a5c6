"""The settings that hold for a file on the command line: those of its project, under what is typed."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from torch_handbook import settings as configuration
from torch_handbook.cli.discovery import Filter, absolute
from torch_handbook.cli.files import STANDARD_INPUT, Misuse
from torch_handbook.engine.naming import known_names, suggestion, unknown_names
from torch_handbook.engine.selection import ignored_in
from torch_handbook.settings import Settings


@dataclass(frozen=True)
class Project:
    """The folder that imports begin at, the one that the settings stand in, and the settings."""

    root: Path
    home: Path
    settings: Settings

    @cached_property
    def filter(self) -> Filter:
        exclude = (*self.settings.exclude, *self.settings.extend_exclude)
        return Filter(self.home, exclude, self.settings.respect_gitignore)

    def settings_of(self, path: Path) -> Settings:
        """The settings for one file: patterns are about its path from the project's folder, wherever one is."""
        if not self.settings.per_file_ignores:
            return self.settings
        inside = os.path.relpath(absolute(path), self.home)
        return replace(self.settings, per_file_ignores={"*": ignored_in(inside, self.settings)})


@dataclass
class Projects:
    """The projects of all that is checked, each read once. What is wrong in their settings is said on stderr."""

    options: argparse.Namespace
    found: dict[Path, Project]
    said: set[str] = field(default_factory=set[str])

    @staticmethod
    def under(options: argparse.Namespace) -> Projects:
        """Raises Misuse where the command line speaks of rules that there are none of."""
        typed = [*(options.select or ()), *options.extend_select, *(options.ignore or ()), *options.extend_ignore]
        for name in [*typed, *(name for _, name in options.per_file_ignores or ())]:
            if name not in known_names():
                raise Misuse(f"there is no rule called {name}{suggestion(name)}")
        if options.config is not None and (problem := unusable(options.config)):
            raise Misuse(problem)
        return Projects(options, {})

    def of(self, path: Path) -> Project:
        """The project that a file or folder lies in; standard input has that of its file name, or of the present folder."""
        place = Path(self.options.stdin_filename or ".") if path == STANDARD_INPUT else path
        root = workspace_of(place)
        if root not in self.found:
            # Patterns of a file that was named are about the path from the present folder, where whoever names it is.
            home = absolute(Path()) if self.options.config else home_of(root)
            path = self.options.config or home / "pyproject.toml"
            settings, problems = configuration.load(home, pyproject=path)
            for problem in [*problems, *(f"{path}: {problem}" for problem in unknown_names(settings))]:
                self.say(problem)
            self.found[root] = Project(root, home, overlaid(settings, self.options))
        return self.found[root]

    def say(self, problem: str) -> None:
        """Once: the folders of a package may all have the same settings."""
        if problem not in self.said:
            self.said.add(problem)
            print(f"torch-handbook: {problem}", file=sys.stderr)

    def filter_of(self, path: Path) -> Filter:
        return replace(self.of(path).filter, force=self.options.force_exclude)


def unusable(path: Path) -> str | None:
    """Why a file that was named holds no settings."""
    if not path.is_file():
        return f"there is no file {path}"
    table, problem = configuration.read_pyproject(path)
    return problem or (None if table else f"{path} has no table [tool.torch-handbook]")


def overlaid(settings: Settings, options: argparse.Namespace) -> Settings:
    """The settings with what was typed laid over them."""
    chosen = settings if options.select is None else replace(settings, select=tuple(options.select), extend_select=())
    exclude = chosen.exclude if options.exclude is None else tuple(options.exclude)
    gitignore = chosen.respect_gitignore if options.respect_gitignore is None else options.respect_gitignore
    return replace(
        chosen,
        extend_select=(*chosen.extend_select, *options.extend_select),
        ignore=(*chosen.ignore, *(options.ignore or ()), *options.extend_ignore),
        per_file_ignores=chosen.per_file_ignores if options.per_file_ignores is None else grouped(options.per_file_ignores),
        exclude=exclude,
        extend_exclude=(*chosen.extend_exclude, *options.extend_exclude),
        respect_gitignore=gitignore,
        facts=chosen.facts and not options.no_facts,
    )


def grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for pattern, name in pairs:
        found[pattern] = (*found.get(pattern, ()), name)
    return found


def workspace_of(path: Path) -> Path:
    """The nearest folder above that has a pyproject.toml or a repository in it; else the folder itself."""
    start = absolute(path)
    start = start if start.is_dir() else start.parent
    above = (start, *start.parents)
    return next((folder for folder in above if (folder / "pyproject.toml").is_file() or (folder / ".git").exists()), start)


def import_root(root: Path) -> Path:
    """Where the files of a project import from: every folder of a package without settings is a root of its own."""
    while (root / "__init__.py").is_file():
        root = root.parent
    return root


def home_of(root: Path) -> Path:
    """Where the settings stand: the nearest pyproject.toml that has some, within the repository; else the root itself.

    In what is no project, patterns are about the path from the present folder, where whoever types them is.
    """
    for folder in (root, *root.parents):
        table, problem = configuration.read_pyproject(folder / "pyproject.toml")
        if table or problem:
            return folder
        if (folder / ".git").exists():
            return root
    present = absolute(Path())
    return present if present in root.parents and not (root / "pyproject.toml").is_file() else root
