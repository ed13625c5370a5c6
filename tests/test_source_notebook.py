"""Notebooks: cells as one text, and what IPython adds to Python."""

from __future__ import annotations

import ast

import pytest
from torch_handbook.source.file import File
from torch_handbook.source.notebook import Notebook, Place, is_shown, python_of
from torch_handbook.source.text import Text

CELLS = ("import torch\nx = torch.zeros(3)", "%matplotlib inline\nx.sum()", "", "y = x\r\n!ls\r\ny")


def test_lines_of_the_text_and_of_the_cells_lead_to_each_other() -> None:
    book = Notebook(CELLS)
    text = Text(book.content)
    for cell, source in enumerate(CELLS):
        for line in range(1, Text(source).line_count + 1):
            there = book.firsts[cell] + line - 1
            assert book.place(there) == Place(cell, line)
            if not Text(source).line(line).startswith(("%", "!")):
                assert text.line(there) == Text(source).line(line)
        assert book.last(cell) == book.firsts[cell] + Text(source).line_count - 1
        assert book.place(book.firsts[cell] - 1) == Place(cell, 1)  # its title


def test_no_cells_make_no_text() -> None:
    assert Notebook(()).content == "" and Notebook(()).place(1) == Place(0, 1)


def test_what_was_joined_is_split_again_as_it_was() -> None:
    book = Notebook((*CELLS, "# %% 7\nprint('#! ')", "if x:\n    %time f()\nfiles = !ls *.py\n", "%%bash\nls | wc\n\necho '%'"))
    assert book.split(book.content) == list(book.cells)
    assert book.split(book.content.replace("zeros(3)", "ones(4)"))[0] == "import torch\nx = torch.ones(4)"


@pytest.mark.parametrize(
    "cell",
    [
        "%matplotlib inline",
        "x = 1\n%time y = x\ny",
        "!pip install torch",
        "torch.sum?",
        "?torch.sum",
        "torch.*load*?",
        "%%time\nx = 1",
        "%%bash\nfor i in *; do echo $i; done",
        "%%writefile a.py\nimport",
        "if True:\n    %time f()",
        "files = !ls\nn, m = %timeit -o f()",
        "def f():\n    !ls\n    return 1",
        "print('%d'\n  % 3)\n%pwd",
        "a = '''\n%not magic\n'''\n!ls",
        "x = (1 +\n!ls\n)",
    ],
)
def test_what_ipython_adds_is_no_python(cell: str) -> None:
    text = python_of(cell, "#! ")
    assert text.count("\n") == cell.count("\n")
    if cell != "x = (1 +\n!ls\n)":
        ast.parse(text)
    assert Notebook((cell,)).split(Notebook((cell,)).content) == [cell]


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("%time y = f(x)", "if.1: y = f(x)"),
        ("if x:\n    %prun y = f(x)\ny", "if x:\n    if.2: y = f(x)\ny"),
        ("%time for i in x: f(i)", "pass  #! %time for i in x: f(i)"),
        ("%time -q y = 1", "pass  #! %time -q y = 1"),
        ("%time !ls", "pass  #! %time !ls"),
        ("%timeit y = f(x)", "pass  #! %timeit y = f(x)"),
        ("%time", "pass  #! %time"),
        ("%time y = 1\nif.1: z = 2", "pass  #! %time y = 1\nif.1: z = 2"),
    ],
)
def test_what_is_timed_binds_its_names(cell: str, text: str) -> None:
    assert python_of(cell, "#! ") == text
    assert Notebook((cell,)).split(Notebook((cell,)).content) == [cell]


def test_what_is_timed_is_shown() -> None:
    assert shown(Notebook(("%time a()\nb = 1",)).content) == ["a()"]


@pytest.mark.parametrize(
    "cell", ["x = (3\n  % 2)", "print('''\n%d\n!''')", "f'{x!r}'", "a != b", "x = y \\\n % 3", "s = 'really?'"]
)
def test_python_stays_as_it_is(cell: str) -> None:
    assert python_of(cell, "#! ") == cell
    assert python_of(f"{cell}\n%pwd", "#! ") == f"{cell}\npass  #! %pwd"


def shown(content: str) -> list[str]:
    file = File.read("a.py", content)
    found = [one for one in ast.walk(file.tree) if isinstance(one, ast.Expr)]
    return [ast.unparse(one) for one in found if is_shown(one, file.tree, file.text)]


def test_the_last_expression_of_a_cell_is_shown() -> None:
    assert shown(Notebook(("a()\nb()", "c()", "d()\nx = 1", "if x:\n    e()", "f()  # why")).content) == ["b()", "c()", "f()"]
    assert shown("# %%\na()\nb()\n# %% next\nc()\nd()\n") == ["b()", "d()"]
    assert shown("a()\nb()\n") == []
