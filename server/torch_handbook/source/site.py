"""Where in the tree a place of the text belongs, and expressions that are put there."""

from __future__ import annotations

import ast
from bisect import bisect_right

from torch_handbook.source.layout import logical_lines
from torch_handbook.source.text import Position, Text
from torch_handbook.source.tree import Tree

BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")
BEHIND = 1_000_000_000  # a line that comes after all lines
WINDOW = 300  # lines above the cursor in which its statement may begin


def statement_start(tree: Tree, text: Text, row: int) -> int:
    """The line on which the statement that reaches to a line begins, both counted from 1.

    The tree tells where to begin to look: at the last statement that starts above. A mended one may have been longer.
    """
    top = max(last_start(tree, row), row - WINDOW)
    lines = [text.line(number) for number in range(top, row + 1)]
    lines[-1] += "_"  # what is about to be typed there
    last = next((line for line in reversed(logical_lines(lines)) if line.last >= len(lines) - 1), None)
    return top + last.first if last else row


def last_start(tree: Tree, row: int) -> int:
    """Where the last statement begins that does so on or above a line."""
    node: ast.AST | None = tree.root
    start = 1
    while node is not None:
        found = children_before(node, row)
        node = found[-1][0] if found else None
        start = line_of(node) if node else start
    return start


def children_before(node: ast.AST, row: int) -> list[tuple[ast.AST, str]]:
    """The last statement of each of a node's blocks that begins on or above a line, in the order of the text."""
    found: list[tuple[ast.AST, str]] = []
    for name in BLOCKS:
        block: list[ast.AST] = [] if isinstance(node, ast.Lambda) else getattr(node, name, [])
        place = bisect_right(block, row, key=line_of)
        if place:
            found.append((block[place - 1], name))
    return sorted(found, key=lambda one: line_of(one[0]))


def line_of(node: ast.AST) -> int:
    """The first line of a statement, handler or case."""
    return getattr(node, "lineno", 0) or getattr(getattr(node, "pattern", None), "lineno", 0)


def block_at(tree: Tree, position: Position, indent: int) -> tuple[ast.AST, str]:
    """The block that a line of this indentation would be in: the statement or root that has it, and its name there."""
    node: ast.AST = tree.root
    block = "body"
    while True:
        found = children_before(node, position.line)
        if not found:
            return node, block
        last, name = found[-1]
        inside: list[ast.AST] = getattr(last, "body", [])
        if not inside or indent <= getattr(last, "col_offset", 0) or position.line < line_of(inside[0]):
            return node, name
        node, block = last, name


def plant(tree: Tree, source: str, position: Position, indent: int) -> ast.expr | None:
    """Parse an expression and put it into the tree as if it stood at a position."""
    try:
        expression = ast.parse(f"({source})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    node, block = block_at(tree, position, indent)
    tree.graft(expression, node, position)
    tree.blocks[expression] = block
    here: ast.AST | None = node
    while here not in tree.scopes:
        here = tree.parents[here] if here else tree.root
    tree.homes[expression] = tree.scopes[here]
    return expression


def plant_name(tree: Tree, name: str) -> ast.Name:
    """A use of a name behind the last statement; the same one each time."""
    if name not in tree.ends:
        node = tree.ends[name] = ast.Name(name, ast.Load())
        node.lineno = node.end_lineno = BEHIND
        node.col_offset = node.end_col_offset = 0
        tree.homes[node] = tree.module  # without a parent: it is no part of what rules walk over
    return tree.ends[name]
