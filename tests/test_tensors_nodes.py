"""What stands inside a piece of code is what Python's own walk of the tree finds, but for operators and contexts."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from torch_handbook_worker.tensors.nodes import inside

EMPTY = (ast.operator, ast.boolop, ast.unaryop, ast.cmpop, ast.expr_context)
FOLDERS = [Path(__file__).parent, Path(__file__).parents[1] / "server"]
FORMS = """
match point:
    case {"x": [1, *rest], **more} if rest: pass
    case Point(0, y=None) | "text" as found: pass
async def f(a, /, b: int = 1, *c, d=[], **e) -> "x":
    global g
    async with a as b, c: yield await (lambda: f"{a!r:>{b}}")
    try: del a.b[1:2, ...]
    except E as e: raise X from e
    finally: assert not -x < y <= z, (u := {**v, 1: 2})
class C(B, metaclass=M):
    x: int
    x @= [i for i in y if i if not j]
"""


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_all_nodes_of_a_file_are_found_in_the_same_order(folder: Path) -> None:
    paths = sorted(folder.glob("*.py")) + sorted(folder.glob("torch_handbook_worker/tensors/*.py"))
    assert len(paths) > 20
    for path in paths:
        assert agree(path.read_text(encoding="utf-8"))


def test_each_kind_of_statement_is_gone_through() -> None:
    assert agree(FORMS)


def agree(text: str) -> bool:
    tree = ast.parse(text)
    return inside(tree) == [node for node in ast.walk(tree) if not isinstance(node, EMPTY)]
