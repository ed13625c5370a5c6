"""Where in the tree a place of the text belongs, and expressions that are put there."""

from __future__ import annotations

import ast

from torch_handbook.source.layout import logical_lines
from torch_handbook.source.text import Position, Text
from torch_handbook.source.tree import Tree

BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")
WINDOW = 300  # lines above the cursor in which its statement may begin


def statement_start(text: Text, row: int) -> int:
    """The line on which the statement that reaches to a line begins, both counted from 1."""
    top = max(row - WINDOW, 1)
    while top > 1 and (not text.line(top).strip() or text.line(top)[0] in " \t)]}#"):
        top -= 1
    lines = [text.line(number) for number in range(top, row + 1)]
    last = next((line for line in reversed(logical_lines(lines)) if line.last >= len(lines) - 1), None)
    return top + last.first if last else row


def block_at(tree: Tree, position: Position, indent: int) -> tuple[ast.AST, str]:
    """The block that a line of this indentation would be in: the statement or root that has it, and its name there."""
    node: ast.AST = tree.root
    block = "body"
    while True:
        found = [
            (child, name)
            for name in BLOCKS
            for child in getattr(node, name, [])
            if (child.lineno if hasattr(child, "lineno") else child.pattern.lineno) <= position.line
        ]
        if not found:
            return node, block
        last, name = max(found, key=lambda one: getattr(one[0], "lineno", 0))
        inside = getattr(last, "body", None)
        if not inside or indent <= getattr(last, "col_offset", 0) or position.line < inside[0].lineno:
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
