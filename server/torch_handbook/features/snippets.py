"""Whole loops and classes as offers, where a statement can begin; what they import is added at the top of the file."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from torch_handbook.features.offers import SNIPPET, Item
from torch_handbook.handbook.snippets import Import, Snippet, imports_of
from torch_handbook.snapshot import Snapshot
from torch_handbook.source.text import Position

LAST = "8"  # behind all names


def offers(snapshot: Snapshot, position: Position, *, alone: bool = False) -> list[Item]:
    """The snippets, where a statement begins at a position and nothing but a word stands there.

    `alone`: the code takes its imports along, as a cell of a notebook does, where there is no top to put them.
    """
    if snapshot.settings.completion_mode == "off" or snapshot.file.statement_begun_at(position) is None:
        return []
    bound = {one.bound: one.path for one in imports_of(snapshot.file.tree)}
    top = insertion(snapshot)
    return [_item(snippet, bound, None if alone or top >= position.line else top) for snippet in snapshot.handbook.snippets]


def documentation(snippet: Snippet) -> str:
    """What is shown beside an offer."""
    return f"{snippet.title}.\n\n```python\n{snippet.code}```"


def _item(snippet: Snippet, bound: dict[str, str], line: int | None) -> Item:
    needed = missing(snippet.imports, bound)
    text = f"{needed}\n\n{snippet.template}" if needed and line is None else snippet.template
    above = (line, f"{needed}\n") if needed and line is not None else None
    name = f"snippets/{snippet.name}"
    return Item(snippet.name, SNIPPET, name, f"{LAST}{snippet.name}", mark=snippet.title, insert=text, above=above)


def missing(imports: Iterable[Import], bound: dict[str, str]) -> str:
    """The statements for the names that a file does not bind to the same, one for each module."""
    return "\n".join(dict.fromkeys(one.statement for one in imports if bound.get(one.bound) != one.path))


def insertion(snapshot: Snapshot) -> int:
    """The line, from 1, before which imports are put: behind the last one of the file's first, else behind its docstring."""
    body: Sequence[ast.stmt] = snapshot.file.tree.body
    last = 0
    for node in body:
        docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and not last
        if not docstring and not isinstance(node, (ast.Import, ast.ImportFrom)):
            break
        last = node.end_lineno or node.lineno
    return last + 1
