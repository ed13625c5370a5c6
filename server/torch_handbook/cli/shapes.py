"""`torch-handbook shapes PATH…`: print the source with its shapes, or a row for every name that is a tensor."""

from __future__ import annotations

import argparse
import ast
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO

from torch_handbook_worker.protocol import TensorFact

from torch_handbook.cli.discovery import python_files
from torch_handbook.cli.files import Misuse, SourceFile
from torch_handbook.cli.output import console, standard_output
from torch_handbook.cli.reading import read, readable
from torch_handbook.engine.facts import Facts
from torch_handbook.features import inlay_hints
from torch_handbook.source.file import File


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser("shapes", help="print the source with the shapes of its tensors")
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    parser.add_argument("--output-format", choices=("text", "json"), default="text")
    parser.add_argument("--python", default="", help="the Python that has your torch")


def run(options: argparse.Namespace) -> int:
    """0; 2 on misuse."""
    from torch_handbook.cli.inspection import inspected

    try:
        sources = list(readable(map(read, python_files(options.paths))))
    except Misuse as error:
        print(f"torch-handbook shapes: {error}", file=sys.stderr)
        return 2
    found = zip(sources, inspected(sources, options.python), strict=True)
    if options.output_format == "json":
        rows = [row for source, facts in found for row in sorted(rows_of(source, facts), key=lambda row: row["line"])]
        print(json.dumps(rows, indent=1))
    else:
        print_text(found, standard_output(), named=len(sources) > 1)
    return 0


def print_text(found: Iterable[tuple[SourceFile, Facts]], out: TextIO, *, named: bool) -> None:
    """Each file's source with the hints that an editor draws into it; with its path in front where that is wanted."""
    write = writer(out)
    for source, facts in found:
        file = File.read(source.path, source.content)
        if named:
            write(f"==> {source.path} <==\n", "bold")
        last = 0
        for hint in inlay_hints.of_file(file, facts):
            here = file.text.offset(hint.position)
            write(file.text.content[last:here], "")
            write(hint.label, "italic magenta")
            last = here
        rest = file.text.content[last:]
        write(rest if rest.endswith("\n") else rest + "\n", "")


def writer(out: TextIO) -> Callable[[str, str], object]:
    """What writes a piece of text: in colour where a person looks at a terminal."""
    if not out.isatty():
        return lambda piece, style: out.write(piece)
    screen = console(out)
    return lambda piece, style: screen.print(piece, style=style or None, end="", markup=False, emoji=False)


def rows_of(source: SourceFile, facts: Facts) -> Iterator[dict[str, Any]]:
    """One row a name: those that are assigned, parameters, "return" for what a function gives back, and those that a line
    only reads, where it does not assign the same name."""
    file = File.read(source.path, source.content)
    said: set[tuple[int, str]] = set()
    for ways in (expression_of, read_at):
        for node in ast.walk(file.tree):
            place = ways(node)
            fact = facts.of(node.value if isinstance(node, ast.Return) else node) if place else None
            if place and isinstance(fact, TensorFact):
                row = line_of(file, node, place[0]), place[1]
                if ways is expression_of or row not in said:
                    what = {"shape": fact.shape, "dtype": fact.dtype, "device": None if fact.device == "?" else fact.device}
                    yield {"path": source.path, "line": row[0], "expression": row[1], **what}
                said.add(row)


def read_at(node: ast.AST) -> tuple[int, str] | None:
    """The line and the name of what is only read."""
    return (node.lineno, node.id) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) else None


def expression_of(node: ast.AST) -> tuple[int, str] | None:
    """What a row calls a node, and its line."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return node.lineno, node.id
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        return node.lineno, ast.unparse(node)
    if isinstance(node, ast.arg):
        return node.lineno, node.arg
    return (node.lineno, "return") if isinstance(node, ast.Return) and node.value else None


def line_of(file: File, node: ast.AST, line: int) -> int:
    """The line of the statement: a parameter on a line of its own still belongs to its `def`."""
    if isinstance(node, ast.arg):
        function = file.enclosing(node, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
        return function.lineno if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)) else line
    return line
