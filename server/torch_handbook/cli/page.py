"""Pages on the terminal: what is known in the terminal's language, and Markdown as text with colours or as it is."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from torch_handbook.knowledge import Knowledge
from torch_handbook.settings import load


def add_locale(parser: argparse.ArgumentParser) -> None:
    """The option that all commands with pages have."""
    parser.add_argument("--locale", default="", metavar="LANGUAGE", help="en or zh-CN; else the setting `locale`, or LANG")


def handbook_only(locale: str) -> Knowledge:
    """What is known without looking for any torch, in a language, that of the settings or that of the terminal."""
    settings, _ = load(Path.cwd())
    return Knowledge.empty(locale or settings.locale)


def with_torch(locale: str) -> Knowledge:
    """The same with the torch that is found from here."""
    folder = Path.cwd()
    settings, _ = load(folder)
    return Knowledge.of(replace(settings, locale=locale or settings.locale), folder)


def show(markdown: str) -> None:
    """Print a page: rendered on a terminal, as Markdown into a file or a pipe."""
    if not sys.stdout.isatty():
        print(markdown.rstrip("\n"))
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(markdown))
