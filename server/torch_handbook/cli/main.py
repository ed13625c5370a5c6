"""The command line: every module here with an `add` is a subcommand, imported only when it is the one that was asked for."""

from __future__ import annotations

import argparse
import ast
import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from torch_handbook.version import __version__

FOLDER = Path(__file__).parent


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one subcommand. 0: all is well; 1: something was found; 2: misuse; 130: interrupted."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    name = arguments[0] if arguments else ""
    if name not in commands():
        return overview(arguments)
    module = importlib.import_module(f"torch_handbook.cli.{commands()[name]}")
    options = parsed(parser_with(module), arguments)
    try:
        return int(module.run(options) or 0)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read the output has gone (`| head`); Python would complain once more when it flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def commands() -> dict[str, str]:
    """The subcommands and their modules: `try_.py` is `try`, since that is a word of Python."""
    files = sorted(FOLDER.glob("*.py"))
    return {file.stem.rstrip("_").replace("_", "-"): file.stem for file in files if "\ndef add(" in file.read_text("utf-8")}


def parser_with(module: ModuleType | None) -> argparse.ArgumentParser:
    """The parser, with one subcommand's options."""
    parser = argparse.ArgumentParser("torch-handbook", description="A language server and linter that knows PyTorch.")
    parser.add_argument("--version", action="version", version=f"torch-handbook {__version__}")
    if module is not None:
        module.add(parser.add_subparsers(dest="command", required=True, metavar="COMMAND"))
    return parser


def parsed(parser: argparse.ArgumentParser, arguments: list[str]) -> argparse.Namespace:
    """The options; an unknown one is misuse of the subcommand, whose usage is shown, not that of the whole program."""
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        usage = f"`torch-handbook {arguments[0]} --help` lists what it takes"
        parser.exit(2, f"torch-handbook {arguments[0]}: there is no option {unknown[0]}; {usage}\n")
    return options


def overview(arguments: list[str]) -> int:
    """What is printed when no subcommand was named: the list of them; a wrong name is misuse."""
    parser = parser_with(None)
    width = max(map(len, commands()))
    rows = [f"  {name:{width}}  {summary(stem)}" for name, stem in commands().items()]
    parser.epilog = "commands:\n" + "\n".join(rows) + "\n\n`torch-handbook COMMAND --help` says more about one of them."
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.usage = "torch-handbook COMMAND …"
    if arguments and not arguments[0].startswith("-"):
        parser.error(f"there is no command {arguments[0]!r}; there are {', '.join(commands())}")
    parser.parse_args(arguments)
    parser.print_help(sys.stderr)
    return 2


def summary(stem: str) -> str:
    """The first line of a module's docstring without the command that it begins with."""
    doc = ast.get_docstring(ast.parse((FOLDER / f"{stem}.py").read_text("utf-8"))) or ""
    line = doc.partition("\n")[0]
    return line.partition(": ")[2].rstrip(".") if line.startswith("`torch-handbook") else line.rstrip(".")
