"""Edits such as someone makes while writing, chosen at random, to see that a look after an edit says what a first look would."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable, Iterator

Function = ast.FunctionDef | ast.AsyncFunctionDef
Edit = Callable[[list[str], Function, random.Random], None]
STATEMENTS = ("zz = torch.zeros(2, 3)", "zz = 3", "if zz0: zz = 2", "self.zz = torch.ones(4)", "print(1)", "import math")
SHAPES = ("B, 3", "B, T, 8", "N, 3, 32, 32", "2, 5")


def edits(text: str, chance: random.Random, count: int) -> Iterator[tuple[str, str]]:
    """So many versions of a text, each an edit of the one before or of the first one, with the name of the edit."""
    now = text
    while count:
        before = now if chance.random() < 0.6 else text
        edit = chance.choice(EDITS)
        changed = _edited(before, edit, chance)
        if changed is not None and changed != now:
            now, count = changed, count - 1
            yield edit.__name__, now


def _edited(text: str, edit: Edit, chance: random.Random) -> str | None:
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, Function)]
    lines = text.split("\n")
    try:
        edit(lines, chance.choice(functions), chance)
        ast.parse("\n".join(lines))
    except (IndexError, SyntaxError, ValueError):  # there is nothing of the kind
        return None
    return "\n".join(lines)


def another_number(lines: list[str], function: Function, chance: random.Random) -> None:
    _number(lines, [node for part in function.body for node in ast.walk(part)], chance)


def another_default(lines: list[str], function: Function, chance: random.Random) -> None:
    _number(lines, list(ast.walk(function.args)), chance)


def _number(lines: list[str], nodes: list[ast.AST], chance: random.Random) -> None:
    node = chance.choice([node for node in nodes if isinstance(node, ast.Constant) and type(node.value) is int])
    assert isinstance(node.value, int)
    line, number = lines[node.lineno - 1].encode(), chance.choice([0, 1, 3, node.value + 1, node.value * 2])
    lines[node.lineno - 1] = (line[: node.col_offset] + str(number).encode() + line[node.end_col_offset :]).decode()


def one_statement_less(lines: list[str], function: Function, chance: random.Random) -> None:
    node = chance.choice(function.body if len(function.body) > 1 else [])
    del lines[node.lineno - 1 : node.end_lineno]


def a_statement_twice(lines: list[str], function: Function, chance: random.Random) -> None:
    node = chance.choice(function.body)
    lines[node.end_lineno : node.end_lineno] = lines[node.lineno - 1 : node.end_lineno]


def another_statement(lines: list[str], function: Function, chance: random.Random) -> None:
    node = chance.choice(function.body)
    lines.insert(node.lineno - 1, " " * node.col_offset + chance.choice(STATEMENTS))


def a_line_above(lines: list[str], function: Function, chance: random.Random) -> None:
    first = min([function.lineno, *(row.lineno for row in function.decorator_list)])
    lines.insert(first - 1, chance.choice(["", "# a comment"]))


def a_comment_with_a_shape(lines: list[str], function: Function, chance: random.Random) -> None:
    names = [row.arg for row in function.args.args if row.arg != "self"]
    comment = f"# torch-handbook: {chance.choice(names)} = ({chance.choice(SHAPES)})"
    lines.insert(function.body[0].lineno - 1, " " * function.body[0].col_offset + comment)


def another_name(lines: list[str], function: Function, chance: random.Random) -> None:
    names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    old = chance.choice(sorted(names))
    for number in range(function.body[0].lineno - 1, function.end_lineno or 0):
        lines[number] = re.sub(rf"(?<![\w.]){old}\b", f"{old}_1", lines[number])


def another_operation(lines: list[str], function: Function, chance: random.Random) -> None:
    known = ("relu", "flatten", "view", "reshape", "mean", "sum", "transpose", "permute")
    node = chance.choice([node for node in ast.walk(function) if isinstance(node, ast.Attribute) and node.attr in known])
    number = (node.end_lineno or 0) - 1
    lines[number] = lines[number].replace(f".{node.attr}", "." + chance.choice(known), 1)


def two_functions_in_another_order(lines: list[str], function: Function, chance: random.Random) -> None:
    nodes = [node for node in ast.walk(ast.parse("\n".join(lines))) if isinstance(node, (ast.ClassDef, ast.Module))]
    rows = [[part for part in node.body if isinstance(part, Function)] for node in nodes]
    functions = chance.choice([row for row in rows if len(row) > 1])
    place = chance.randrange(len(functions) - 1)
    (first, end), (second, last) = (_range(node) for node in functions[place : place + 2])
    lines[first:last] = lines[second:last] + lines[end:second] + lines[first:end]


def _range(node: Function) -> tuple[int, int]:
    return min([node.lineno, *(row.lineno for row in node.decorator_list)]) - 1, node.end_lineno or 0


EDITS: tuple[Edit, ...] = (
    another_number, another_number, another_number, another_default, one_statement_less, a_statement_twice, another_statement,
    a_line_above, a_comment_with_a_shape, another_name, another_operation, two_functions_in_another_order,
)  # fmt: skip
