"""`torch-handbook show NAME`: print the page of a name of torch, of a guide, a comparison or an error."""

from __future__ import annotations

import argparse
import difflib
import sys
from typing import Any

from torch_handbook.cli import page
from torch_handbook.engine import registry
from torch_handbook.features import explain
from torch_handbook.knowledge import Knowledge


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser("show", help="print a page of the handbook by its name")
    parser.add_argument("name", metavar="NAME", help="such as torch.nn.Conv2d, nn.Conv2d, Conv2d or guides/in-place")
    page.add_locale(parser)


def run(options: argparse.Namespace) -> int:
    """0; 2 where there is no such page, or several."""
    known = page.with_torch(options.locale)
    found = explain.page(known.handbook, known.docs, options.name)
    if found is None:
        print(f"torch-handbook show: {missing(known, options.name)}", file=sys.stderr)
        return 2
    page.show(found.markdown)
    return 0


def missing(known: Knowledge, name: str) -> str:
    """Why a name leads nowhere, with the names that may have been meant."""
    several = known.handbook.called(name)
    if several:
        return f"{name} may be {' or '.join(several)}"
    return f"there is no rule and no page called {name}{meant(known, name)}"


def meant(known: Knowledge, name: str) -> str:
    """The names that may have been meant, as the end of the sentence: spelt alike, else about the same."""
    ends = {other.rpartition(".")[2]: other for other in known.handbook.names()}
    near = difflib.get_close_matches(name, [*registry.finders(), *known.handbook.names()], 3)
    near = near or [ends[end] for end in difflib.get_close_matches(name.rpartition(".")[2], list(ends), 3)]
    near = near or [hit.name for hit in known.handbook.search(name, 3)]
    return f"; did you mean {' or '.join(near)}?" if near else "; `torch-handbook search WORDS` finds pages"
