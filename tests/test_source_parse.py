"""Any text gives a tree, and what is whole in it keeps its place."""

from __future__ import annotations

import ast
import time

import pytest
from torch_handbook.source.file import File
from torch_handbook.source.parse import parse
from torch_handbook.source.text import Text

WHOLE = '''import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 6, 5)

    def forward(self, x):
        """Squeeze."""
        x = self.conv(x)
        for row in x:
            print(row)
        return x.mean()


net = Net()
loss = net(torch.randn(1, 3, 8, 8))
loss.backward()
'''


def calls(tree: ast.Module) -> set[tuple[int, int, str]]:
    return {(node.lineno, node.col_offset, ast.unparse(node.func)) for node in ast.walk(tree) if isinstance(node, ast.Call)}


BROKEN = [
    "x = torch.",
    "nn.Conv2d(3, ",
    "for x in ",
    "def f(",
    "class A(nn.Module",
    "if x",
    "x = [1,",
    'print "a"',
    "f(x, padding=",
    "from torch import ",
    "import torch.",
    'x = "abc',
    'x = """abc',
    "with torch.no_grad(",
    "@torch.",
    "x = 3 +",
    "return x.",
    "else:",
    "lambda x:",
    ")",
    "x = (1]",
]


@pytest.mark.parametrize("line", BROKEN)
@pytest.mark.parametrize("row", [2, 8, 11, 12, 14, 18, 20])
def test_a_broken_line_costs_only_itself(line: str, row: int) -> None:
    lines = WHOLE.split("\n")
    indent = lines[row - 1][: len(lines[row - 1]) - len(lines[row - 1].lstrip())]
    content = "\n".join([*lines[:row], indent + line, *lines[row:]])
    expected = {(at + (at > row), column, name) for at, column, name in calls(ast.parse(WHOLE))}
    before = File.read("net.py", WHOLE)
    for found in (File.read("net.py", content), File.read("net.py", content, before)):
        assert found.problem is not None
        assert expected <= calls(found.tree)
        assert found.parsed.mended == {row + 1}


def test_a_cut_file_keeps_what_is_before_the_cut() -> None:
    before = File.read("net.py", WHOLE)
    for offset in range(len(WHOLE)):
        content = WHOLE[:offset]
        found = File.read("net.py", content, before)
        last = content.count("\n") + 1
        kept = {call for call in calls(ast.parse(WHOLE)) if call[0] < last}
        assert kept <= calls(found.tree), content[-40:]


PYTHON_2 = """def f(x):
    print "a"
    y = 1
    exec "b" in c

class A:
    def g(self):
        raise E, "x"
    z = 3
"""
MENDED = """def f(x):
    pass
    y = 1
    pass

class A:

    def g(self):
        pass
    z = 3"""


def test_python_2_keeps_all_that_is_python_3() -> None:
    found = parse(Text(PYTHON_2))
    assert ast.unparse(found.tree) == MENDED
    assert found.problem is not None
    assert found.problem.position == (2, 4)
    assert found.mended == {2, 4, 8}


ODD = [
    ("\ufeffimport torch", 1, 3),
    ("import torch\r\nx = 1", 2, 0),
    ("import torch\rx = 1", 2, 0),
    ("\f\nx = 1", 2, 0),
    ("s = 'a\0b'\nx = 1", 2, 0),
    ("x\0= 1", 1, 0),
    ("s = '\ud800'; x = 1", 1, 11),
    ("s = '中😀'; x = 1", 1, 15),
]


@pytest.mark.parametrize(("content", "line", "column"), ODD, ids=range(len(ODD)))
def test_odd_characters_move_nothing(content: str, line: int, column: int) -> None:
    found = parse(Text(content))
    assert found.problem is None
    last = found.tree.body[-1]
    assert (last.lineno, last.col_offset) == (line, column)


HOSTILE = [
    "",
    "\n\n",
    "\0",
    "(" * 3000,
    "x = " + "-" * 50_000 + "1\ny = 2",
    "x = 1" + " + 1" * 50_000 + "\ny = 2",
    "x" + ".a" * 20_000,
    "".join(" " * depth + "if x:\n" for depth in range(3000)),
    "\t\tx\n y\n\t z\n",
    "\\",
    "x = 1 \\\n",
    '"""' * 7,
    "".join(map(chr, range(1, 0x3000))),
    "\ud800\udfff" * 10,
    "async await yield from *",
]


@pytest.mark.parametrize("content", HOSTILE, ids=range(len(HOSTILE)))
def test_nothing_breaks_it(content: str) -> None:
    found = File.read("x.py", content)
    assert isinstance(found.tree, ast.Module)
    for node in ast.walk(found.tree):
        if isinstance(node, ast.expr):
            found.name_of(node)
            found.value_of(node)


def test_what_follows_code_that_is_too_deep_is_kept() -> None:
    found = parse(Text("x = 1" + " + 1" * 50_000 + "\ny = 2"))
    assert ast.unparse(found.tree) == "pass\ny = 2"


@pytest.mark.parametrize("line", ['{0},{0},abc def,"x', "the quick brown fox {0} jumps over", "x = {0}"])
def test_fifty_thousand_lines_take_seconds_at_most(line: str) -> None:
    content = "\n".join(line.format(number) for number in range(50_000))
    began = time.process_time()
    parse(Text(content))
    assert time.process_time() - began < 10


@pytest.mark.parametrize("content", ["", "\n", "a", "a\nb", "a\n\n", "\n\na\f\u2028b\n", "a\r\nb\rc\n", "é\n學\n"])
def test_lines_begin_behind_each_end_of_a_line(content: str) -> None:
    starts = [0]
    for offset, letter in enumerate(content, 1):
        if letter == "\n" or (letter == "\r" and content[offset : offset + 1] != "\n"):
            starts.append(offset)
    assert Text(content).starts == starts
