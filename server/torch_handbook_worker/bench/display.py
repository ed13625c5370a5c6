"""The code of a benchmark as its reader sees it: what was timed, and what was run first."""

from __future__ import annotations

import ast
import copy
import re
import textwrap
from typing import List, Mapping, Union

from torch_handbook_worker.bench import values
from torch_handbook_worker.bench.failure import LINE_END
from torch_handbook_worker.bench.program import MEASURE, OTHER, TIMED, Program
from torch_handbook_worker.bench.selection import Selection, first_line, last_line

HERE = "the_timed_lines"


def lines_of(text: str) -> List[str]:
    return [line.rstrip("\r\n") for line in LINE_END.split(text)]


def code_of(text: str, chosen: Selection) -> str:
    """The timed lines as they are written, moved to the left edge."""
    first, last = chosen.lines
    return textwrap.dedent("\n".join(lines_of(text)[first - 1 : last]))


def setup_of(text: str, program: Program, assumed: Mapping[str, str]) -> str:
    """The statements that were run first as they are written, then the code around the selection as it was run."""
    lines = lines_of(text)
    parts = [written(statement, lines) for statement in program.setup]
    shown = [Plain(assumed, program.names).visit(copy.deepcopy(statement)) for statement in (*program.stages, *program.body)]
    rest = [ast.unparse(ast.fix_missing_locations(statement)) for statement in shown if statement is not None]
    return joined([*parts, *rest]).replace(HERE, "...  # the timed lines")


def joined(parts: List[str]) -> str:
    """Statements one below the other, with air around definitions."""
    spaced = [f"\n\n{part}\n\n" if part.startswith(("def ", "class ", "async def ", "@")) else part for part in parts]
    return re.sub(r"\n{4,}", "\n\n\n", "\n".join(spaced)).strip("\n")


def written(statement: ast.stmt, lines: List[str]) -> str:
    """The text of a statement; of one that was changed, its new text."""
    own = "\n".join(lines[first_line(statement) - 1 : last_line(statement)])
    try:
        same = ast.dump(ast.parse(textwrap.dedent(own)).body[0]) == ast.dump(statement)
    except (SyntaxError, IndexError):
        same = False
    return textwrap.dedent(own) if same else ast.unparse(statement)


class Plain(ast.NodeTransformer):
    """Says in plain Python what our own helpers do."""

    def __init__(self, assumed: Mapping[str, str], names: Mapping[str, str]) -> None:
        self.assumed, self.names = assumed, names

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Union[ast.AST, None]:
        if node.name in (TIMED, OTHER):
            return None
        self.generic_visit(node)
        node.name = self.names.get(node.name, node.name)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        self.generic_visit(node)
        call = node.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == MEASURE:
            node.value = ast.Name(HERE, ast.Load())
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == values.INSTANCE:
            return node.args[0]
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and node.value.id == values.INPUTS and isinstance(node.slice, ast.Constant):
            made = self.assumed.get(str(node.slice.value))
            return ast.parse(made, mode="eval").body if made else node
        return node
