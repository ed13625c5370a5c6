"""A text as what stands inside its functions and what stands around them, so that two versions of it can be compared.

What stands around functions is also their heads: decorators, parameters, defaults and annotations, and the comments in them.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Any, Dict, FrozenSet, Iterator, List, Optional, Sequence, Set, Tuple

from torch_handbook_worker.tensors.nodes import inside

DIRECTIVE = re.compile(r"torch-handbook", re.IGNORECASE)
EMPTY = re.compile(r"\s*(?:#|$)")  # a line that holds a comment or nothing
HERE = "\0"  # in place of a function's body


@dataclass(frozen=True)
class Outline:
    """The lines of a text, numbered from 1."""

    around: Tuple[str, ...]  # the lines around functions' bodies, and HERE for each body
    numbers: Tuple[int, ...]  # the number of each of these lines, and the number of the first line of each body
    bodies: Tuple[Tuple[int, Tuple[str, ...]], ...]  # by function, in order: its body's first line, and its lines
    places: Dict[int, int]  # by line: the function that it is a part of


@dataclass(frozen=True)
class Difference:
    """How a text differs from an earlier one where the same stands around its functions."""

    changed: FrozenSet[int]  # the functions whose bodies are other ones
    lines: Optional[Dict[int, int]]  # by the number of an earlier line: that of the same line now; None where none moved


def outline(text: str, tree: ast.Module) -> Outline:
    """What a text is made of."""
    lines = re.split(r"\r\n|\r|\n", text)
    functions = list(_functions(tree.body))
    kept = _kept(lines, tree, functions)
    around: List[str] = []
    numbers: List[int] = []
    bodies: List[Tuple[int, Tuple[str, ...]]] = []
    places: Dict[int, int] = {}
    line = 1
    for place, node in enumerate(functions):
        first, last = _body(node, lines)
        for number in range(_first(node), last + 1):
            places[number] = place
        _add(around, numbers, lines, kept, range(line, first))
        around.append(HERE)
        numbers.append(first)
        bodies.append((first, tuple(lines[first - 1 : last])))
        line = last + 1
    _add(around, numbers, lines, kept, range(line, len(lines) + 1))
    return Outline(tuple(around), tuple(numbers), tuple(bodies), places)


def _add(around: List[str], numbers: List[int], lines: Sequence[str], kept: Set[int], rows: range) -> None:
    for number in rows:
        if number in kept or EMPTY.match(lines[number - 1]) is None:
            around.append(lines[number - 1])
            numbers.append(number)


def _functions(body: Sequence[ast.stmt]) -> Iterator[Any]:
    """The functions that are inside no other one, in order."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node
            continue
        for name in ("body", "handlers", "orelse", "finalbody", "cases"):
            inner: List[Any] = getattr(node, name, [])
            for part in inner if name in ("handlers", "cases") else [None]:
                yield from _functions(inner if part is None else part.body)


def _first(node: Any) -> int:
    return min([node.lineno, *(row.lineno for row in node.decorator_list)])


def _body(node: Any, lines: Sequence[str]) -> Tuple[int, int]:
    """The first and last line of a body; nothing of it where it shares a line with what stands around it."""
    first, last = node.body[0].lineno, node.end_lineno
    heads = [node.lineno, *(getattr(part, "end_lineno", 0) for part in inside(node.args))]
    if node.returns is not None:
        heads.append(node.returns.end_lineno)
    ending = str(lines[last - 1])
    if DIRECTIVE.search(ending) is not None:  # a comment there may speak of what follows
        last -= 1
    behind = ending.encode()[node.end_col_offset :].decode(errors="replace")
    if first <= max(heads) or EMPTY.match(behind) is None:
        return node.end_lineno + 1, node.end_lineno
    return first, last


def _kept(lines: Sequence[str], tree: ast.Module, functions: Sequence[Any]) -> Set[int]:
    """The lines of which every character counts, also in comments: of heads and texts, and all where comments state shapes."""
    bodies = {number for node in functions for number in range(*_range(node, lines))}
    if any(DIRECTIVE.search(line) for number, line in enumerate(lines, 1) if number not in bodies):
        return set(range(1, len(lines) + 1))
    kept = {number for node in functions for number in range(_first(node), node.body[0].lineno)}
    for node in _around(tree):
        if isinstance(node, (ast.Constant, ast.JoinedStr)):
            kept.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return kept


def _range(node: Any, lines: Sequence[str]) -> Tuple[int, int]:
    first, last = _body(node, lines)
    return first, last + 1


def _around(tree: ast.Module) -> Iterator[ast.AST]:
    """All nodes but those in the bodies of functions."""
    stack: List[Any] = [tree]
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            stack.extend([node.args, *node.decorator_list, *([node.returns] if node.returns is not None else [])])
        else:
            stack.extend(ast.iter_child_nodes(node))


def difference(before: Outline, now: Outline) -> Optional[Difference]:
    """How a text differs from an earlier one; None where something else stands around its functions."""
    if before.around != now.around:
        return None
    changed = {place for place, row in enumerate(now.bodies) if row[1] != before.bodies[place][1]}
    if before.numbers == now.numbers:
        return Difference(frozenset(changed), None)
    lines = dict(zip(before.numbers, now.numbers))
    for (first, rows), (other, _) in zip(before.bodies, now.bodies):
        lines.update((first + row, other + row) for row in range(len(rows)))
    return Difference(frozenset(changed), lines)
