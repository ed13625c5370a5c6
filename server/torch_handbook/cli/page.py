"""Pages on the terminal: what is known in the terminal's language, and Markdown as text with colours or as it is."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from torch_handbook.knowledge import Knowledge
from torch_handbook.settings import load


def add_locale(parser: argparse.ArgumentParser) -> None:
    """The option that all commands with pages have."""
    parser.add_argument("--locale", default="", metavar="LANGUAGE", help="en or zh-CN; else the setting `locale`, or LANG")


def locale(option: str) -> str:
    """The language to show: the option, else the setting, else what the terminal is set to."""
    settings, _ = load(Path.cwd())
    system = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := os.environ.get(name))), "")
    return option or settings.locale or system


def handbook_only(option: str) -> Knowledge:
    """What is known without looking for any torch."""
    return Knowledge.empty(locale(option))


def with_torch(option: str) -> Knowledge:
    """What is known with the torch that is found from here."""
    folder = Path.cwd()
    settings, _ = load(folder)
    return Knowledge.of(settings, folder, locale(option))


def show(markdown: str) -> None:
    """Print a page: rendered on a terminal, as Markdown into a file or a pipe."""
    if not sys.stdout.isatty():
        print(markdown.rstrip("\n"))
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(markdown))
