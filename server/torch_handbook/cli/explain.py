"""`torch-handbook explain NAME`: print the page of a rule or of a name of torch."""

from __future__ import annotations

import argparse
import difflib
import sys
from pathlib import Path
from typing import Any

from torch_handbook.engine import registry, ruledoc
from torch_handbook.features import explain
from torch_handbook.knowledge import Knowledge
from torch_handbook.settings import load


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "explain", help="print the page of a rule, a torch name or a guide; without a name, the list of all rules"
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help="such as shape-mismatch, torch.nn.Conv2d or guides/in-place")


def run(options: argparse.Namespace) -> int:
    """0; 2 where there is no such page."""
    if options.name is None:
        list_rules()
        return 0
    page = page_of(options.name)
    if page is None:
        print(f"torch-handbook explain: there is no rule and no page called {options.name}{meant(options.name)}", file=sys.stderr)
        return 2
    if not sys.stdout.isatty():
        print(page.rstrip("\n"))
        return 0
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(page))
    return 0


def list_rules() -> None:
    width = max(len(rule.id) for rule in registry.rules())
    for rule in registry.rules():
        doc = ruledoc.ruledoc(rule.id)
        print(f"{rule.id:{width}}  {rule.severity.value:11}  {doc.summary.partition(chr(10))[0] if doc else ''}")


def page_of(name: str) -> str | None:
    """The page of a rule, else of a name, with the signature and the docs of the torch that is found from here."""
    if registry.rule(name) is not None:
        page = explain.rule(Knowledge.empty().handbook, name)
        return page.markdown if page else None
    folder = Path.cwd()
    settings, _ = load(folder)
    known = Knowledge.of(settings, folder)
    page = explain.page(known.handbook, known.docs, name)
    return page.markdown if page else None


def meant(name: str) -> str:
    """The names that may have been meant, as the end of the sentence."""
    known = [*registry.finders(), *Knowledge.empty().handbook.names()]
    near = difflib.get_close_matches(name, known, 3)
    near = near or [other for other in known if other.rpartition(".")[2] == name]
    return f"; did you mean {' or '.join(near)}?" if near else "; `torch-handbook explain` lists the rules"
