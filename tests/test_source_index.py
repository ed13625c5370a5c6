"""The index of a tree: every kind in the order of the text, parts of it by stretches, words."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from torch_handbook.source.file import File
from torch_handbook.source.tree import grow

HERE = Path(__file__).parent
ODD = "@d(1)\ndef f(a: A = b, *c, k=d(2)) -> E:\n"
ODD += "    with x(3) as y, z(4): return {**m(5), 'n': -o(6)} if not p else [q(7) for r in s(8)]\n"


def test_the_nodes_are_in_the_order_of_the_text() -> None:
    names = [node.id for node in grow(ast.parse("a(b)[c]\nd = e")).nodes if isinstance(node, ast.Name)]
    assert names == ["a", "b", "c", "d", "e"]


def test_deep_code_has_an_index_too() -> None:
    node: ast.expr = ast.Name("x", ast.Load())
    for _ in range(20_000):
        node = ast.UnaryOp(ast.USub(), node)
    index = grow(ast.Module([ast.Expr(node)], [])).index
    assert len(index.inside(node, ast.UnaryOp)) == 20_000
    assert len(index.all(ast.Name)) == 1


@pytest.mark.parametrize(
    "content", [ODD, (HERE / "test_source_flow.py").read_text("utf-8"), (HERE / "markers.py").read_text("utf-8")]
)
def test_a_part_of_the_tree_has_what_walking_it_gives(content: str) -> None:
    file = File.read("x.py", content)
    for root in file.grown.nodes:
        for kind in (ast.Call, ast.Name, ast.Attribute, ast.arg):
            assert set(file.index.inside(root, kind)) == {node for node in ast.walk(root) if isinstance(node, kind)}
    assert file.index.inside(ast.parse("f(g(1))"), ast.Call) != []  # not of this tree


def test_words_are_found_without_a_walk() -> None:
    index = File.read("x.py", "a.grad = b.c.grad(a)\n").index
    assert [ast.unparse(node) for node in index.attributes["grad"]] == ["a.grad", "b.c.grad"]
    assert [node.col_offset for node in index.names["a"]] == [0, 18]
    assert "d" not in index.names
    assert index.all(ast.While) == []
