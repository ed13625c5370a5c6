"""`torch-handbook explain WHAT`: explain a rule, a name of torch, an error's message or a whole traceback."""

from __future__ import annotations

import argparse
import os
import stat
import sys
from collections import deque
from pathlib import Path
from typing import Any

from torch_handbook.cli import page
from torch_handbook.cli.show import missing
from torch_handbook.engine import registry, ruledoc
from torch_handbook.features import errors, explain

LINES = 20_000  # of a log that are kept; what counts stands at its end


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "explain",
        help="explain a rule, a torch name or an error; without anything, the list of all rules",
        description="Explains a rule, a name of torch, an error's message or the traceback in a log. "
        "`python train.py 2>&1 | torch-handbook explain` explains what a program ends with.",
    )
    parser.add_argument(
        "what",
        nargs="?",
        metavar="WHAT",
        help="such as shape-mismatch, torch.nn.Conv2d, guides/in-place or a message; - reads a log",
    )
    parser.add_argument("--file", type=Path, metavar="LOG", help="a log with a traceback")
    page.add_locale(parser)


def run(options: argparse.Namespace) -> int:
    """0; 1 where the handbook has no page on a message; 2 where there is no such rule, name or file."""
    if options.file is not None:
        try:
            text = options.file.read_text("utf-8", "replace")
        except OSError as error:
            print(f"torch-handbook explain: {options.file} cannot be read ({error.strerror})", file=sys.stderr)
            return 2
        return of_log(text, options.locale)
    log = read_log() if options.what == "-" or (options.what is None and is_fed()) else ""
    if log.strip() or options.what == "-":
        return of_log(log, options.locale)
    if options.what is None:
        list_rules()
        return 0
    return of_word(options.what, options.locale)


def of_word(what: str, locale: str) -> int:
    """Explain what was given as an argument: a rule or a name, else a message if it has several words."""
    if registry.rule(what) is not None:
        found = explain.rule(page.handbook_only(locale).handbook, what)
    elif len(what.split()) > 1:
        return of_log(what, locale)
    else:
        known = page.with_torch(locale)
        found = explain.page(known.handbook, known.docs, what)
        if found is None:
            print(f"torch-handbook explain: {missing(known, what)}", file=sys.stderr)
            return 2
    page.show(found.markdown if found else "")
    return 0


def of_log(text: str, locale: str) -> int:
    """Explain what a log ends with."""
    found = errors.explained(page.handbook_only(locale).handbook, text, str(Path.cwd()))
    if found is None:
        print("torch-handbook explain: there is no error in what was read", file=sys.stderr)
        return 0
    page.show(found.markdown)
    return 0 if found.name else 1


def is_fed() -> bool:
    """Whether something is piped or redirected into the program, rather than typed; nothing at all is no log."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode)


def read_log() -> str:
    """All of standard input, its end if it is long. Where someone watches, what comes is shown at once, as without the pipe."""
    kept: deque[str] = deque(maxlen=LINES)
    watched = sys.stderr.isatty() and not sys.stdin.isatty()
    for raw in sys.stdin.buffer:
        if watched:
            sys.stderr.buffer.write(raw)
            sys.stderr.buffer.flush()
        kept.append(raw.decode("utf-8", "replace"))
    return "".join(kept)


def list_rules() -> None:
    """Print every rule with its severity and what it finds."""
    width = max(len(rule.id) for rule in registry.rules())
    for rule in registry.rules():
        doc = ruledoc.ruledoc(rule.id)
        print(f"{rule.id:{width}}  {rule.severity.value:11}  {doc.summary.partition(chr(10))[0] if doc else ''}")
