"""`torch-handbook shapes PATH…`: print the shape of every tensor that a name is given, takes or returns."""

from __future__ import annotations

import argparse
import ast
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from torch_handbook_worker.protocol import TensorFact

from torch_handbook.cli.discovery import python_files
from torch_handbook.cli.files import Misuse, SourceFile
from torch_handbook.cli.reading import read, readable
from torch_handbook.engine.facts import Facts
from torch_handbook.source.file import File


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser("shapes", help="print the shapes of tensors")
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
    rows: list[dict[str, Any]] = []
    data = options.output_format == "json"
    for source, facts in zip(sources, inspected(sources, options.python), strict=True):
        rows.extend(rows_of(source, facts, reads=data))
    if data:
        print(json.dumps(rows, indent=1))
    else:
        for row in rows:
            print(f"{row['path']}:{row['line']}: {row['expression']}: [{', '.join(map(str, row['shape']))}]")
    return 0


def rows_of(source: SourceFile, facts: Facts, *, reads: bool = False) -> Iterator[dict[str, Any]]:
    """One row a name: those that are assigned, parameters, and "return" for what a function gives back.

    With `reads` those too that a line only reads, where it does not assign the same name.
    """
    file = File.read(source.path, source.content)
    said: set[tuple[int, str]] = set()
    for ways in (expression_of, read_at)[: 1 + reads]:
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
