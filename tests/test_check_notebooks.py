"""Notebooks on the command line: their code cells are checked as one, and mended where they are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from check_command import check, rows

IMPORT = "%matplotlib inline\nimport torch"
DATA = ["a, b = torch.randn(2, 3, 4), torch.randn(2, 4, 5)\n", "!nvidia-smi\n", "torch.einsum('bij,bjk->bik', a, b)  # why"]


def notebook(*cells: Any, language: str = "python", indent: int | None = 1) -> str:
    kinds = [("markdown", "# Torch") if cell is None else ("code", cell) for cell in cells]
    shaped = [{"cell_type": kind, "metadata": {}, "source": source} for kind, source in kinds]
    whole = {"cells": shaped, "metadata": {"language_info": {"name": language}}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=indent, ensure_ascii=False) + "\n"


def cells(path: Path) -> list[Any]:
    return [cell["source"] for cell in json.loads(path.read_text("utf-8"))["cells"]]


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "train.ipynb"
    path.write_text(notebook(None, IMPORT, None, DATA), "utf-8")
    return path


def test_a_finding_names_the_cell_and_the_line_in_it(book: Path) -> None:
    done = check("train.ipynb", folder=book.parent)
    assert done.stdout.startswith("train.ipynb:cell 4:3:1: ") and "[einsum-with-bmm-equivalent]" in done.stdout
    (row,) = rows(check("--output-format", "json", folder=book.parent))
    assert row["range"]["start"] == {"line": 3, "column": 1, "cell": 4} and row["range"]["end"]["cell"] == 4


def test_a_fix_changes_its_cell_and_nothing_else(book: Path) -> None:
    before = book.read_text("utf-8")
    done = check("--fix", "train.ipynb", folder=book.parent)
    assert "1 fixed, 0 left" in done.stderr + done.stdout
    assert cells(book)[3] == [*DATA[:2], "torch.matmul(a, b)  # why"] and cells(book)[1] == IMPORT
    assert book.read_text("utf-8") == before.replace("torch.einsum('bij,bjk->bik', a, b)", "torch.matmul(a, b)")


def test_a_notebook_on_one_line_stays_one(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    code = "".join(DATA)
    path.write_text(notebook("import torch", f"%time x = 1\n{code}", f"%%time\n{code}", "%%bash\nls", indent=None), "utf-8")
    check("--fix", "a.ipynb", folder=tmp_path)
    mended = code.replace("torch.einsum('bij,bjk->bik', a, b)", "torch.matmul(a, b)")
    assert cells(path) == ["import torch", f"%time x = 1\n{mended}", f"%%time\n{mended}", "%%bash\nls"]
    assert path.read_text("utf-8").count("\n") == 1


def test_what_a_cell_shows_is_used(tmp_path: Path) -> None:
    code = "x = torch.randn(3)\nx.to(torch.float64)"
    (tmp_path / "a.ipynb").write_text(notebook("import torch", code, "print(x.dtype)"), "utf-8")
    assert rows(check("--output-format", "json", "a.ipynb", folder=tmp_path)) == []
    (tmp_path / "a.ipynb").write_text(notebook("import torch", f"{code}\nprint(x.dtype)"), "utf-8")
    (row,) = rows(check("--output-format", "json", "a.ipynb", folder=tmp_path))
    assert row["rule"] == "out-of-place-result-unused" and row["range"]["start"]["line"] == 2


def test_broken_cells_and_foreign_ones_do_not_stop_the_others(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text(notebook(IMPORT, "x = (", "%%bash\nfor x in *; do", "".join(DATA)), "utf-8")
    done = check("a.ipynb", folder=tmp_path)
    assert "cell 2:1:" in done.stderr and "a.ipynb:cell 4:3:1" in done.stdout


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "cannot be read as a notebook"),
        ("[1]", "cannot be read as a notebook"),
        ('{"cells": 3}', "cannot be read as a notebook"),
        ('{"worksheets": []}', "format 4"),
        (notebook("library(torch)", language="R"), ""),
        (notebook(), ""),
        ('{"cells": [3, {"cell_type": "code"}, {"cell_type": "raw", "source": "("}]}', ""),
    ],
)
def test_what_is_no_notebook_is_said(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "a.ipynb").write_text(content, "utf-8")
    done = check("a.ipynb", folder=tmp_path)
    assert done.stdout == "" and done.returncode == (2 if said else 0)
    assert said in done.stderr and bool(said) == bool(done.stderr)


@pytest.mark.parametrize(
    "written",
    [
        '{"cells":[{"cell_type":"code","outputs":[{"a":1E5,"b":1e-7,"c":NaN,"d":"\\/"}],"source":"CODE"}],"metadata":{"a":1,"a":2}}',
        '{\r\n "cells": [ {"cell_type": "code",\r\n\t"source": ["import torch\\n" , "a = \'\\u00e9é\'\\n" , "LAST"] } ]\r\n}\r\n',
        '\ufeff{"cells": [{"cell_type": "code", "source": "CODE"}, {"cell_type": "code", "source": ["1\\n"]}]}',
    ],
)
def test_the_layout_of_the_file_stays_as_it_is(tmp_path: Path, written: str) -> None:
    path = tmp_path / "a.ipynb"
    before, after = "torch.einsum('i,i->', a, b)", "torch.dot(a, b)"
    text = written.replace("CODE", f"import torch\\n{before}\\r").replace("LAST", before)
    path.write_bytes(text.encode())
    assert "1 fixed" in check("--fix", "a.ipynb", folder=tmp_path).stdout
    assert path.read_bytes().decode() == text.replace(before, after)


def test_a_cell_whose_text_is_none_is_no_code(tmp_path: Path) -> None:
    odd: list[Any] = [5, {"a": 1}, [1, "import torch"]]
    (tmp_path / "a.ipynb").write_text(notebook("import torch", *odd, "torch.einsum('i,i->', a, b)"), "utf-8")
    (row,) = rows(check("--output-format", "json", "a.ipynb", folder=tmp_path))
    assert row["range"]["start"]["cell"] == 5


def test_a_command_goes_on_behind_a_backslash(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    magic = "!pip install \\\n   torch \\\n  numpy\nfiles = !ls \\\n  -l\nif files:\n    %run a \\\n b\n"
    path.write_text(notebook("import torch", f"{magic}torch.einsum('i,i->', a, b)"), "utf-8")
    done = check("--fix", "a.ipynb", folder=tmp_path)
    assert "1 fixed, 0 left" in done.stdout and done.stderr == ""
    assert cells(path)[1] == f"{magic}torch.dot(a, b)"
