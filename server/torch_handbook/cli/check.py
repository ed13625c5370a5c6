"""`torch-handbook check [PATH…]`: find mistakes in files and folders, without an editor, and mend them."""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path
from typing import Any

from torch_handbook.cli import output
from torch_handbook.cli.files import Misuse


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser("check", help="find mistakes in files and folders")
    parser.add_argument(
        "paths", nargs="*", type=Path, default=[Path()], metavar="PATH", help="files, folders, patterns; - for standard input"
    )
    parser.add_argument("--python", default="", help="the Python that has your torch")
    parser.add_argument("--config", type=Path, metavar="FILE", help="a pyproject.toml to use instead of those of the projects")
    parser.add_argument("--no-facts", action="store_true", help="do not ask torch itself: no shapes, no autograd state")
    parser.add_argument("-j", "--jobs", type=int, default=0, metavar="N", help="how many processes; left out: what pays")
    add_rules(parser.add_argument_group("rules", "ids, kinds or categories, separated by commas; the more specific one wins"))
    add_files(parser.add_argument_group("files"))
    add_fixes(parser.add_argument_group("fixes"))
    add_output(parser.add_argument_group("output"))
    add_baseline(parser.add_argument_group("baseline", "what is known, so that only what is new is reported"))


def add_rules(group: Any) -> None:
    more = {"type": listed, "action": "extend", "metavar": "RULES"}
    group.add_argument("--select", **more, help="only these")
    group.add_argument("--extend-select", **more, default=[], help="these besides")
    group.add_argument("--ignore", **more, help="not these")
    group.add_argument("--extend-ignore", **more, default=[], help="nor these")
    group.add_argument("--per-file-ignores", **{**more, "type": pairs}, help='not in some files: "tests/*:all"')
    group.add_argument("--hints", action="store_true", help="show hints too, as editors do")


def add_files(group: Any) -> None:
    more = {"type": listed, "action": "extend", "metavar": "PATTERNS"}
    group.add_argument("--exclude", **more, help="pass over these below folders, instead of what is passed over else")
    group.add_argument("--extend-exclude", **more, default=[], help="pass over these besides")
    group.add_argument("--force-exclude", action="store_true", help="pass over them even where they are named")
    group.add_argument("--respect-gitignore", action=argparse.BooleanOptionalAction, help="pass over what git ignores (default)")
    group.add_argument("--stdin-filename", metavar="PATH", help="the name of what comes from standard input")


def add_fixes(group: Any) -> None:
    group.add_argument("--fix", action="store_true", help="mend what can be mended")
    group.add_argument("--diff", action="store_true", help="show what --fix would change, and write nothing")
    group.add_argument("--unsafe-fixes", action="store_true", help="make fixes too that should be looked at")
    group.add_argument("--exit-non-zero-on-fix", action="store_true", help="exit with status 1 if something was mended")


def add_output(group: Any) -> None:
    group.add_argument("--output-format", choices=output.FORMATS, default="text")
    group.add_argument("-o", "--output-file", type=Path, metavar="FILE", help="write there instead of to standard output")
    group.add_argument("--statistics", action="store_true", help="only how often each was found")
    group.add_argument("--exit-zero", action="store_true", help="exit with status 0 whatever was found")


def add_baseline(group: Any) -> None:
    group.add_argument("--baseline", type=Path, metavar="FILE", help="report only what is not in this file")
    group.add_argument("--write-baseline", type=Path, metavar="FILE", help="write there what is found now")


def listed(words: str) -> list[str]:
    return [word.strip() for word in words.split(",") if word.strip()]


def pairs(words: str) -> list[tuple[str, str]]:
    """ "tests/*:all,setup.py:shape-mismatch"."""
    found = [word.rpartition(":") for word in listed(words)]
    if any(not pattern or not name for pattern, _, name in found):
        raise argparse.ArgumentTypeError(f"{words!r} is not PATTERN:RULE")
    return [(pattern.strip(), name.strip()) for pattern, _, name in found]


def run(options: argparse.Namespace) -> int:
    """0: nothing found; 1: something found; 2: misuse."""
    logging.basicConfig(level=logging.WARNING, format="torch-handbook: %(message)s", stream=sys.stderr)
    from torch_handbook.cli.work import Work

    try:
        work = Work.of(options)
        return work.write_baseline() if options.write_baseline else work.report()
    except Misuse as error:
        print(f"torch-handbook check: {error}", file=sys.stderr)
        return 2
