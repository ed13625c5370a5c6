"""Which statements a cursor or a selection means, and the blocks that they stand in."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from typing import Iterator, List, Optional, Tuple

from torch_handbook_worker.bench.names import Function

Blocks = Iterator[Tuple[ast.AST, str, List[ast.stmt]]]
Loop = (ast.For, ast.AsyncFor, ast.While)
Definition = (*Function, ast.ClassDef)


class Unusable(Exception):
    """Nothing can be timed there, and why: a sentence for the user."""


@dataclass(frozen=True)
class Level:
    """One block on the way in: the statement that holds it (None: the module), which of its blocks, and what comes before."""

    owner: Optional[ast.stmt]
    part: Optional[ast.AST]  # the owner itself, or the handler or case of it that holds the block
    field: str
    before: List[ast.stmt]


@dataclass(frozen=True)
class Selection:
    """Statements that stand side by side, inside nested blocks (the outermost first)."""

    levels: List[Level]
    statements: List[ast.stmt]

    @property
    def lines(self) -> Tuple[int, int]:
        return first_line(self.statements[0]), last_line(self.statements[-1])


def first_line(statement: ast.stmt) -> int:
    """Its first line, decorators included."""
    decorators = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def last_line(statement: ast.stmt) -> int:
    return statement.end_lineno or statement.lineno


def blocks(statement: ast.stmt) -> Blocks:
    """The blocks inside a statement, with the node and the field that hold each."""
    for field in ("body", "orelse", "finalbody"):
        block = getattr(statement, field, None)
        if isinstance(block, list) and block:
            yield statement, field, block
    for part in [*getattr(statement, "handlers", []), *getattr(statement, "cases", [])]:
        yield part, "body", part.body


def select(tree: ast.Module, line: int, end_line: int) -> Selection:
    """The smallest statements that cover the lines. Raises Unusable where there are none."""
    levels = [Level(None, None, "body", [])]
    block = tree.body
    while True:
        hit = [statement for statement in block if first_line(statement) <= end_line and last_line(statement) >= line]
        if not hit:
            raise Unusable(f"there is no statement on line {line}; put the cursor in one, or select some lines")
        levels[-1].before.extend(block[: block.index(hit[0])])
        inner = block_within(hit[0], line, end_line) if len(hit) == 1 else None
        if inner is None:
            return Selection(levels, hit)
        part, field, block = inner
        levels.append(Level(hit[0], part, field, []))


def block_within(statement: ast.stmt, line: int, end_line: int) -> Optional[Tuple[ast.AST, str, List[ast.stmt]]]:
    """The block of a statement that holds all of the lines, if its heading is not among them."""
    for owner, field, block in blocks(statement):
        start = first_line(block[0])
        if start > statement.lineno and start <= line and end_line <= last_line(block[-1]):
            return owner, field, block
    return None


def locate(tree: ast.Module, node: ast.AST) -> Selection:
    """The statement that holds a node, and the blocks around it."""
    found = innermost(tree.body, node, [Level(None, None, "body", [])])
    assert found is not None
    return found


def innermost(block: List[ast.stmt], node: ast.AST, levels: List[Level]) -> Optional[Selection]:
    for index, statement in enumerate(block):
        if not any(inner is node for inner in ast.walk(statement)):
            continue
        here = [*levels[:-1], replace(levels[-1], before=block[:index])]
        for part, field, inner_block in blocks(statement):
            deeper = innermost(inner_block, node, [*here, Level(statement, part, field, [])])
            if deeper is not None:
                return deeper
        return Selection(here, [statement])
    return None


def check(selection: Selection) -> None:
    """Refuse what cannot be repeated by itself. Raises Unusable."""
    statements = selection.statements
    line = selection.lines[0]
    if all(isinstance(statement, (*Definition, ast.Import, ast.ImportFrom)) for statement in statements):
        what = "defines" if isinstance(statements[0], Definition) else "imports"
        name = f" {statements[0].name}" if isinstance(statements[0], Definition) else ""
        raise Unusable(f"line {line} only {what}{name or ' something'}; put the cursor in a statement that computes")
    for level in selection.levels:
        if isinstance(level.owner, (ast.AsyncFunctionDef, ast.AsyncFor, ast.AsyncWith)):
            raise Unusable(f"line {line} is asynchronous code, which cannot be timed by itself")
        if isinstance(level.part, ast.ExceptHandler):
            raise Unusable(f"line {line} handles an exception, which cannot be timed by itself")
    for statement in statements:
        word = stray(statement)
        if word:
            raise Unusable(f"the `{word}` on line {line} belongs to code around the selection; select that too, or less")


def stray(node: ast.AST, in_loop: bool = False) -> Optional[str]:
    """The break, continue, yield or await in a statement whose loop or function is not part of it."""
    if isinstance(node, (ast.Break, ast.Continue)) and not in_loop:
        return type(node).__name__.lower()
    if isinstance(node, (ast.Yield, ast.YieldFrom, ast.Await)):
        return "await" if isinstance(node, ast.Await) else "yield"
    if isinstance(node, (*Definition, ast.Lambda)):
        return None
    inside = in_loop or isinstance(node, Loop)
    return next((word for child in ast.iter_child_nodes(node) for word in [stray(child, inside)] if word), None)
