"""`torch-handbook search WORDS`: find pages of the handbook by name, or by what one wants to do."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from torch_handbook.cli import page

COUNT = 8
WIDTH = 40  # columns of names


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser("search", help="find pages by name, or by what one wants to do, in English or Chinese")
    parser.add_argument(
        "words", nargs="+", metavar="WORDS", help='such as: join tensors along a new axis; np.stack; "out of memory"'
    )
    parser.add_argument("--count", type=int, default=COUNT, metavar="N", help=f"how many pages at most; {COUNT} unless given")
    parser.add_argument("--json", action="store_true", help="print a list of objects with name, title, kind and summary")
    page.add_locale(parser)


def run(options: argparse.Namespace) -> int:
    """0; 1 where no page has any of the words."""
    handbook = page.handbook_only(options.locale).handbook
    lines = [handbook.lines[hit.name] for hit in handbook.search(" ".join(options.words), max(1, options.count))]
    if options.json:
        rows = [{"name": one.name, "title": one.title, "kind": one.kind, "summary": one.summary} for one in lines]
        print(json.dumps(rows, ensure_ascii=False, indent=2))
        return 0 if rows else 1
    if not lines:
        print("torch-handbook search: no page has any of these words", file=sys.stderr)
        return 1
    width = min(WIDTH, max(len(line.name) for line in lines))
    for line in lines:
        print(f"{line.name:{width}}  {line.title or line.summary}")
    return 0
