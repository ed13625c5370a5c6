"""`torch-handbook explain RULE`: print the page of a rule."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from torch_handbook.engine import registry, ruledoc


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser("explain", help="print the page of a rule; without a name, the list of all rules")
    parser.add_argument("rule", nargs="?", metavar="RULE")


def run(options: argparse.Namespace) -> int:
    """0; 2 where there is no such rule."""
    if options.rule is None:
        width = max(len(rule.id) for rule in registry.rules())
        for rule in registry.rules():
            doc = ruledoc.ruledoc(rule.id)
            print(f"{rule.id:{width}}  {rule.severity.value:11}  {doc.summary.partition(chr(10))[0] if doc else ''}")
        return 0
    rule = registry.rule(options.rule)
    if rule is None:
        print(f"torch-handbook explain: there is no rule called {options.rule}", file=sys.stderr)
        return 2
    page = ruledoc.markdown(rule)
    if not sys.stdout.isatty():
        print(page, end="")
        return 0
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(page))
    return 0
